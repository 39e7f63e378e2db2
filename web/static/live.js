// A page that shows a session: listens for changes, fetches its fragment again, and posts what is tapped.

import { announce } from "./announce.js";
import { drawClocks } from "./clock.js";
import { openLine } from "./line.js";
import { morph } from "./morph.js";
import { here, newId, post, toast, wait, withTicket } from "./talk.js";
import { keep, kept } from "./unsent.js";
import { t } from "./words.js";

const PATIENCE_MS = 5000;
const AGAIN_MS = 500;
const DOUBLE_TAP_MS = 400; // longer, and quick taps from one answer to the next would be refused
const DOUBLE_TAP_PX = 30;

export function startLive(live) {
  const draft = new Map(Object.entries(JSON.parse(live.dataset.draftBegun ?? "{}")));
  const unsent = `draft ${live.dataset.fragment} ${live.dataset.player}`;
  let earlier = kept(unsent); // the draft of this window before the page was loaded, and its entry: { seq, fields }
  const answers = new Map(); // proposal → path → value, tapped and not yet sent
  let fetching = null; // a promise, while the fragment is fetched; resolves when the page is up to date
  let again = false;
  let chosen = null; // a promise; resolves when the page shows the newest choice
  let tappedBefore = null; // the last tap: its time, place and meaning, and whether it posted something
  let hasLooked = false; // whether the page's address is fetched, or was answered, since the stream was refused
  const due = new Map(); // Undo or Redo, while a tap on it is on its way → further taps meanwhile
  let line = { isLost: () => false };

  const seq = () => Number(live.querySelector("[data-seq]").dataset.seq);

  function address(page = live.dataset.fragment) {
    const query = new URLSearchParams();
    if (live.dataset.player) query.set("player", live.dataset.player);
    draft.forEach((value, name) => query.set(`d.${name}`, value));
    return withTicket(`${page}${page.includes("?") ? "&" : "?"}${query}`);
  }

  function refresh() {
    again = true;
    fetching ??= drawAnew();
    return fetching;
  }

  async function drawAnew() {
    while (again) {
      again = false;
      try {
        const response = await fetch(address(), {
          headers: { "X-Requested-With": "companion" },
          cache: "no-store",
          signal: AbortSignal.timeout(PATIENCE_MS), // without it one dead connection would stop all updates
        });
        if (response.redirected) location.replace(response.url); // this device's seat is in another game now
        else if (response.ok) {
          show(await response.text());
          const keptAt = Number(response.headers.get("X-Kept-At")); // the answer is the service worker's, not the table's
          if (keptAt) line.keptSince(keptAt);
        }
        else toast((await response.json()).error);
      } catch {
        again = !line.isLost(); // a lost line refreshes the page when it comes back
        if (again) await wait(AGAIN_MS);
      }
    }
    fetching = null;
  }

  // The stream was refused. If this device's seat is in another game now, the page's address redirects there. It is
  // answered once, until a stream opens again.
  async function lookWhere() {
    if (hasLooked) return;
    hasLooked = true;
    const options = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) };
    const response = await fetch(address(), options).catch(() => null);
    const isBusy = response?.status === 429 || response?.status >= 500;
    if (!response || isBusy || response.headers.has("X-Kept-At")) hasLooked = false; // no answer: the next refusal asks again
    if (response?.redirected) location.replace(response.url);
    else if (response?.status === 403) location.reload(); // this device was removed: the page says so
  }

  function show(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const said = announcement(live);
    const scored = scores(live);
    const before = seq();
    morph(live.querySelector("[data-seq]"), fresh.content.querySelector("[data-seq]"));
    drawClocks();
    const announced = announcement(live) !== said && announcement(live);
    if (announced) announce(announced);
    const changed = scores(live).filter((line) => !scored.includes(line));
    if (changed.length) announce(t("Score: {scores}", { scores: changed.join(", ") }));
    if (seq() !== before) {
      forgetAnswers();
      if (kept(unsent) && !live.dataset.corrects) keepDraft(); // with the new entry: the draft fits it, too
    }
    markAnswers();
    follow();
    live.dispatchEvent(new CustomEvent("shown", { detail: { announced, grown: seq() > before } }));
  }

  // A big screen shows the active game: each fragment names its session, which may be another one.
  function follow() {
    const { session } = live.querySelector("[data-seq]").dataset;
    if (session === undefined || session === live.dataset.session) return;
    live.dataset.session = session;
    if (session) line.reopen();
    else location.reload();
  }

  const announcement = (where) => where.querySelector("[data-announce]")?.dataset.announce ?? "";
  const scores = (where) => [...where.querySelectorAll("[data-score]")].map((line) => line.dataset.score);

  async function send(url, body, refused = toast) {
    if (line.isLost()) {
      toast(t("Can't reach the table. Nothing was recorded. Tap again when it's back."));
      return null;
    }
    const response = await post(url, { event_id: newId(), seen_seq: seq(), ...body }, refused);
    if (response) forgetDraft();
    await refresh();
    return response;
  }

  const api = (what) => here(`/api/sessions/${live.dataset.session}/${what}`);

  function happened(event) {
    if (live.dataset.corrects) return preview(live.dataset.corrects, event);
    return send(api("events"), { event });
  }

  function change(fields) {
    Object.entries(fields).forEach(([name, value]) => (value === "" ? draft.delete(name) : draft.set(name, value)));
    forgetAnswers();
    keepDraft();
    chosen = refresh();
    return chosen;
  }

  // The draft is stored with the entry at which it was chosen. A page that is loaded again restores it once the stream
  // has shown that nothing it depends on has changed since. A correction starts again after any change.

  function keepDraft() {
    if (!earlier) keep(unsent, draft.size ? { seq: seq(), fields: Object.fromEntries(draft) } : null);
  }

  function forgetDraft() {
    draft.clear();
    earlier = null;
    keepDraft();
  }

  function takeUp(heardSeq) {
    if (!earlier || heardSeq < earlier.until) return;
    if (live.dataset.corrects) draft.clear(); // the stored draft replaces the fields of the corrected entry
    Object.entries(earlier.fields).forEach(([name, value]) => { if (!draft.has(name)) draft.set(name, value); });
    earlier = null;
    keepDraft();
    refresh();
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
    if (line.isLost()) {
      toast(t("Can't reach the table. Nothing was recorded. Tap again when it's back."));
      return;
    }
    await post(proposal.dataset.url, { event_id: newId(), corrections, instead });
    await refresh();
  }

  // taps

  // Waits until the page shows the newest choice: until then a button would enter its event without it, and the last of
  // several choices would enter nothing. Resolves to false if the button or the table has changed by then.
  async function isUnchanged(tap) {
    const said = () => [seq(), tap.getAttribute("aria-label"), tap.textContent].join();
    const before = said();
    await chosen;
    return tap.isConnected && said() === before;
  }

  async function tapped(tap) {
    const [met, same] = [{ ...tap.dataset }, await isUnchanged(tap)];
    if (enters({ dataset: met }) && !same) return warnOfAnother();
    const { event, draft: fields, refused, undo, preview: url, post: plain, value, step, consult, roll } = same ? tap.dataset : met;
    if (refused) return toast(refused);
    if (event && live.hasAttribute("data-gallery")) return toast(t("This is the gallery. Nothing is recorded."), "good");
    if (event) return happened(JSON.parse(event));
    if (fields && !live.hasAttribute("data-gallery")) return change(JSON.parse(fields));
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

  // The second tap of a double tap may hit another button: the first one has changed the page, or its choice has brought
  // up the button that enters it.

  function meaning(tap) {
    const { undo, ...rest } = tap.dataset; // the number of what comes back changes with each tap
    return JSON.stringify([tap.closest("[data-proposal]")?.dataset.proposal, undo === undefined ? rest : tap.id]);
  }

  function enters({ dataset }) {
    const { event, undo, roll, post: plain, value, agree: yes, instead, preview: correction } = dataset;
    return [event, undo, roll, plain, value, yes, instead, correction].some((each) => each !== undefined);
  }

  function wasMeantForAnother(click, tap) {
    const byFinger = click.detail > 0; // 0 for a key, whose click has no place
    if (!byFinger || !tappedBefore || click.timeStamp - tappedBefore.at > DOUBLE_TAP_MS) return false;
    const away = Math.hypot(click.clientX - tappedBefore.x, click.clientY - tappedBefore.y);
    return away < DOUBLE_TAP_PX && (tappedBefore.entered || enters(tap)) && tappedBefore.meaning !== meaning(tap);
  }

  function warnedOfAnother(click, tap) {
    if (!wasMeantForAnother(click, tap)) return false;
    warnOfAnother();
    return true;
  }

  function warnOfAnother() {
    toast(t("The page just changed. Tap again to confirm."));
  }

  function remember(click, tap) {
    tappedBefore = { at: click.timeStamp, x: click.clientX, y: click.clientY, meaning: meaning(tap), entered: enters(tap) };
  }

  document.addEventListener("click", (click) => {
    const tap = click.target.closest("#live button, .correcting-head button");
    if (!tap || tap.type !== "button") return;
    if (due.has(tap)) due.set(tap, due.get(tap) + 1);
    if (due.has(tap) || tap.classList.contains("busy") || warnedOfAnother(click, tap)) return;
    remember(click, tap);
    if (tap.dataset.undo !== undefined) due.set(tap, 0);
    busy(tap, tapped(tap));
  });

  async function typed(form) {
    const field = form.querySelector("input");
    const sent = field.value;
    if (!await isUnchanged(form)) return warnOfAnother();
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
    if (mine && !live.dataset.corrects) forgetDraft(); // it was chosen for an earlier state
    takeUp(heardSeq);
    refresh();
  }

  if (live.dataset.session) {
    if (earlier && live.dataset.corrects && earlier.seq !== seq()) earlier = null;
    if (earlier) earlier.until = seq();
    takeUp(earlier?.seq);
    if (document.documentElement.dataset.kept) refresh(); // the service worker's fragment may be newer than its page
    line = openLine({
      address: () => withTicket(`${api("stream")}?since=${earlier ? Math.min(earlier.seq, seq()) : seq()}`),
      hear: { entry: changed, change: refresh },
      opened: () => { hasLooked = false; return refresh(); },
      refused: lookWhere,
    });
    addEventListener("pageshow", (shown) => { if (shown.persisted) location.reload(); }); // the browser's "back"
  }
}
