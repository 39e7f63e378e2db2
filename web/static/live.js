// A page that shows a session: listens for changes, fetches its fragment again, and posts what is tapped.

import { enters, remember, warnedOfAnother, warnOfAnother } from "./double_taps.js";
import { openDraft } from "./draft.js";
import { tapOf } from "./finger.js";
import { openFragment } from "./fragment.js";
import { startHints } from "./hints.js";
import { newId, post, toast } from "./talk.js";
import { t } from "./words.js";

const SLOW_MS = 2000; // for a choice to be answered; then the page says that it is kept

export function startLive(live) {
  const seq = () => fragment.seq();
  const draft = openDraft(live, seq);
  const fragment = openFragment(live, draft, shown);
  const { address, api, refresh } = fragment;
  const answers = new Map(); // proposal → path → value, tapped and not yet sent
  const due = new Map(); // Undo or Redo, while a tap on it is on its way → further taps meanwhile
  let chosen = null; // a promise; resolves when the page shows the newest choice, and has entered what it completed
  let entering = 0; // events on their way
  let answered = Promise.resolve(); // resolves when they all are answered
  let completed = 0; // events that a last choice has entered
  let isKept = false; // whether a choice waits for the line to come back
  const { title } = document;

  // A window that lies behind others says in its title that it is this player's turn.
  function nameWindow() {
    const isDue = live.dataset.player && live.querySelector(".headline.t-primary");
    document.title = isDue ? `● ${title}` : title;
  }

  function shown(isOther, fields) {
    nameWindow();
    draft.wasDrawn(fields);
    if (isKept && draft.isShown()) settle();
    isKept = false;
    if (isOther) {
      forgetAnswers();
      draft.storeAnew();
    }
    markAnswers();
  }

  async function send(url, body, refused = toast) {
    if (fragment.isLost()) {
      toast(t("Can't reach the table. Nothing was recorded. Tap again when it's back."));
      return null;
    }
    entering += 1;
    const work = sendNow(url, body, refused);
    answered = Promise.all([answered, work.catch(() => null)]);
    const response = await work.finally(() => { entering -= 1; });
    if (response) live.dispatchEvent(new CustomEvent("counted"));
    return response;
  }

  async function sendNow(url, body, refused) {
    const response = await post(url, { event_id: newId(), seen_seq: seq(), ...body }, refused);
    if (response) draft.discard();
    await refresh();
    return response;
  }

  function happened(event, seenSeq = seq()) {
    if (live.dataset.corrects) return preview(live.dataset.corrects, event);
    return send(api("events"), { event, seen_seq: seenSeq });
  }

  // choices: each counts at once, in order, and the page is fetched once for all

  function choose({ draft: sets, adds = "{}" }) {
    if (fragment.isLost()) {
      toast(t("Can't reach the table. Nothing was recorded. Tap again when it's back."));
      return;
    }
    if (!draft.change(JSON.parse(sets), JSON.parse(adds))) {
      toast(t("That's too many taps. Undo some of them first."));
      return;
    }
    forgetAnswers();
    draft.show();
    live.dispatchEvent(new CustomEvent("counted"));
    const work = settle(atOnce());
    chosen = work;
    work.finally(() => { if (chosen === work) chosen = null; });
  }

  const atOnce = () => (live.dataset.corrects ? undefined : live.querySelector("[data-at-once]")?.dataset.event);

  // A choice that has brought up an event to be entered at once enters it.
  async function settle(before) {
    const slow = setTimeout(() => toast(t("No answer from the table yet. Your tap is kept and sent again.")), SLOW_MS);
    await refresh();
    clearTimeout(slow);
    isKept = fragment.isLost();
    const event = atOnce();
    if (isKept || !event || before || entering || !draft.isShown()) return;
    completed += 1;
    await happened(JSON.parse(event));
  }

  // corrections: a dialog shows what would change, and a tap agrees; after a refusal it is drawn again with the reason

  async function preview(url, event, why = "") {
    const response = await post(url, { event });
    const place = document.getElementById("preview");
    if (why) place.replaceChildren(); // the old dialog is outdated, even if no new one came
    if (!response) return;
    place.innerHTML = await response.text();
    const dialog = place.querySelector("dialog");
    dialog.addEventListener("click", (click) => {
      const tap = click.target.closest("button");
      if (tap?.hasAttribute("data-close")) dialog.close();
      if (!tap?.dataset.agree || tap.classList.contains("busy") || warnedOfAnother(click, tap)) return;
      remember(click, tap);
      busy(tap, agree(dialog, tap, (reason) => preview(url, event, reason)));
    });
    dialog.showModal();
    if (why) dialog.querySelector("h2").after(reasonOf(why));
  }

  function reasonOf(why) {
    const said = Object.assign(document.createElement("p"), { className: "notice t-warn", textContent: why });
    said.setAttribute("role", "alert");
    return said;
  }

  async function agree(dialog, tap, again) {
    const body = { ...JSON.parse(tap.dataset.body), seen_seq: Number(dialog.dataset.seq) };
    let why = "";
    const done = await send(tap.dataset.agree, body, (sentence) => { why = sentence; });
    if (why) await again(why);
    if (!done) return;
    dialog.close();
    if (live.dataset.corrects) location.assign(dialog.dataset.done);
  }

  // questions of the camera: the answers are sent together, with the last one

  async function answer(tap) {
    const proposal = tap.closest("[data-proposal]");
    const values = answers.get(proposal.dataset.proposal) ?? new Map();
    values.set(tap.closest("[data-path]").dataset.path, Number(tap.dataset.value));
    answers.set(proposal.dataset.proposal, values);
    markAnswers();
    const asked = [...proposal.querySelectorAll("[data-path]")].map((doubt) => doubt.dataset.path);
    if (!asked.every((path) => values.has(path))) return;
    await confirm(proposal, Object.fromEntries(values));
    answers.delete(proposal.dataset.proposal);
  }

  function markAnswers() {
    live.querySelectorAll("[data-proposal] [data-path]").forEach((doubt) => {
      const value = answers.get(doubt.closest("[data-proposal]").dataset.proposal)?.get(doubt.dataset.path);
      doubt.classList.toggle("answered", value !== undefined);
      doubt.querySelectorAll("[data-value]").forEach((tap) => {
        tap.setAttribute("aria-pressed", String(Number(tap.dataset.value) === value));
      });
    });
  }

  async function confirm(proposal, corrections, instead = null) {
    if (fragment.isLost()) {
      toast(t("Can't reach the table. Nothing was recorded. Tap again when it's back."));
      return;
    }
    await post(proposal.dataset.url, { event_id: newId(), corrections, instead });
    await refresh();
  }

  // taps

  // Its place and its words say what a button means, also if it is drawn anew. The main button and the roll mean what is chosen.
  function meaning(tap) {
    const near = (name) => tap.parentElement?.closest(`[${name}]`)?.getAttribute(name);
    const follows = (tap.closest("#main-tap") && "main") || (tap.dataset.roll && "roll");
    const words = follows || tap.getAttribute("aria-label") || tap.textContent;
    return JSON.stringify([near("data-proposal"), near("data-path"), follows || near("aria-label"), words]);
  }

  // Waits until the page shows the newest choice: until then a button would enter its event without it, and the last of
  // several choices would enter nothing. Resolves to the button that means the same then, null if there is none.
  async function asChosen(tap) {
    if (!chosen) return tap;
    const [before, event] = [meaning(tap), tap.dataset.event];
    await chosen;
    if (tap.isConnected && (meaning(tap) === before || (event && tap.dataset.event === event))) return tap;
    return [...document.querySelectorAll("#live button, .correcting-head button")].find((each) => meaning(each) === before) ?? null;
  }

  async function tapped(met) {
    const [seenSeq, done, isMain] = [seq(), completed, Boolean(met.closest("#main-tap"))];
    const tap = await asChosen(met);
    if (completed !== done && isMain) return undefined; // the choice before has entered it already
    if (!tap || (tap.dataset.event === undefined && enters(tap) && seq() !== seenSeq)) return warnOfAnother();
    const { event, refused, undo, preview: url, post: plain, value, step, consult, roll } = tap.dataset;
    if (refused) return toast(refused);
    if (event && live.hasAttribute("data-gallery")) return toast(t("This is the gallery. Nothing is recorded."), "good");
    if (event) return happened(JSON.parse(event), seenSeq);
    if (undo !== undefined) return takeBack(tap);
    if (url) return preview(url, null);
    if (plain || roll) return roll ? send(roll, {}) : post(plain).then(refresh);
    if (step) return stepNumber(tap, Number(step));
    if (consult && !live.hasAttribute("data-gallery")) return showAnswer(tap, consult);
    if (tap.hasAttribute("data-more")) return showAll(tap);
    if (tap.hasAttribute("data-agree")) return confirm(tap.closest("[data-proposal]"), {});
    if (tap.dataset.instead) return confirm(tap.closest("[data-proposal]"), {}, Number(tap.dataset.instead));
    if (value) return answer(tap);
    return undefined;
  }

  // A choice on a page from which an event is on its way waits for the answer: what is chosen then is of the next state.
  async function chooseInTurn(tap) {
    if (live.hasAttribute("data-gallery")) return;
    const [before, seenSeq, choice] = [meaning(tap), seq(), { ...tap.dataset }];
    if (entering) {
      await answered;
      const same = seq() === seenSeq || (tap.isConnected && meaning(tap) === before && tap.dataset.draft === choice.draft);
      if (!same) {
        warnOfAnother();
        return;
      }
    }
    choose(choice);
  }

  // Each tap on Undo or Redo counts, also one that comes while the last one is on its way: the two never change places.
  async function takeBack(tap) {
    while (await send(api("undo"), tap.dataset.undo ? { seq: Number(tap.dataset.undo) } : {})) {
      if (!due.get(tap) || tap.disabled) return;
      due.set(tap, due.get(tap) - 1);
    }
  }

  // advice on request is valid only for the state in which it was asked for

  async function showAnswer(tap, name) {
    const place = tap.parentElement.querySelector(".consult-answer");
    place.textContent = t("Working it out …");
    const asked = seq();
    try {
      const response = await fetch(address(`${live.dataset.advice}/${name}`), { cache: "no-store" });
      if (!response.ok) throw new Error((await response.json()).error);
      place.innerHTML = await response.text();
      if (seq() !== asked) place.replaceChildren();
    } catch (problem) {
      place.replaceChildren();
      toast(problem.message);
    }
  }

  function forgetAnswers() {
    live.querySelectorAll(".consult-answer").forEach((place) => place.replaceChildren());
  }

  function showAll(tap) {
    const all = tap.parentElement.querySelector(".all-values");
    all.setAttribute("data-own", "");
    all.hidden = false;
    tap.hidden = true;
    tap.setAttribute("data-own", "");
  }

  function stepNumber(tap, by) {
    const field = tap.parentElement.querySelector("input");
    const next = field.value === "" ? Number(field.min) : Number(field.value) + by;
    field.value = String(Math.min(Number(field.max), Math.max(Number(field.min), next)));
  }

  async function busy(tap, work) {
    tap.classList.add("busy"); // of a double tap only the first tap counts, until the page shows what it did
    try {
      await work;
    } finally {
      tap.classList.remove("busy");
      due.delete(tap);
    }
  }

  // Any tap wakes a house that sleeps, also one that enters nothing.
  document.addEventListener("click", () => { if (live.querySelector(".notices .sleep, .notices.sleep")) fragment.wake(); });

  document.addEventListener("click", (click) => {
    const tap = tapOf(click);
    if (!tap || tap.type !== "button" || !tap.matches("#live button, .correcting-head button")) return;
    if (due.has(tap)) due.set(tap, due.get(tap) + 1);
    if (due.has(tap) || tap.classList.contains("busy") || warnedOfAnother(click, tap)) return;
    remember(click, tap);
    if (tap.dataset.draft) {
      chooseInTurn(tap);
      return;
    }
    if (tap.dataset.undo !== undefined) due.set(tap, 0);
    busy(tap, tapped(tap));
  });

  async function typed(form) {
    const field = form.querySelector("input");
    const [sent, seenSeq] = [field.value, seq()];
    await chosen;
    if (!form.isConnected || seq() !== seenSeq) return warnOfAnother();
    const value = form.hasAttribute("data-text") ? sent : Number(sent);
    const event = { ...JSON.parse(form.dataset.numberEvent), [form.dataset.field]: value };
    if (live.hasAttribute("data-gallery")) return toast(t("This is the gallery. Nothing is recorded."), "good");
    const response = await happened(event);
    if (response && field.value === sent) field.value = ""; // else something was typed meanwhile, for the next event
    return undefined;
  }

  live.addEventListener("submit", (submit) => {
    if (!submit.target.dataset.numberEvent) return;
    submit.preventDefault();
    typed(submit.target);
  });

  // the stream

  function changed(message) {
    const { affects, seq: heardSeq } = JSON.parse(message.data);
    const mine = affects.includes("table") || affects.includes(live.dataset.player);
    if (mine && !live.dataset.corrects && draft.isOlderThan(heardSeq) && !entering) { // it was chosen for an earlier state
      draft.discard();
      toast(t("The table has moved on. Choose again."));
    }
    draft.takeUp(heardSeq);
    refresh();
  }

  if (live.dataset.session) {
    nameWindow();
    if (draft.begin() || document.documentElement.dataset.kept) refresh(); // a kept page may be old
    fragment.listen(changed);
    startHints(live, refresh);
    addEventListener("pageshow", (shown) => { if (shown.persisted) location.reload(); }); // the browser's "back"
  }
}
