// A page that shows a session: it hears that something changed, fetches what it shows, and sends what is tapped.

import { announce } from "./announce.js";
import { drawClocks } from "./clock.js";
import { openLine } from "./line.js";
import { morph } from "./morph.js";
import { newId, post, toast, wait } from "./talk.js";
import { keep, kept } from "./unsent.js";
import { t } from "./words.js";

const PATIENCE_MS = 5000;
const AGAIN_MS = 500;
const DOUBLE_TAP_MS = 400; // no longer, as people tap on from one answer to the next
const DOUBLE_TAP_PX = 30;

export function startLive(live) {
  const draft = new Map(Object.entries(JSON.parse(live.dataset.draftBegun ?? "{}")));
  const unsent = `draft ${live.dataset.fragment} ${live.dataset.player}`;
  let earlier = kept(unsent); // what this window had chosen before the page was loaded, and at which entry: { seq, fields }
  const answers = new Map(); // proposal → path → value, tapped and not yet sent
  let fetching = null; // settles when the page shows what is true now
  let again = false;
  let chosen = null; // settles when the page shows what was last chosen on it
  let tappedBefore = null; // the last tap: when, where, what it meant and whether it sent something
  let hasLooked = false; // where this device belongs, since the line was refused
  let line = { isLost: () => false };

  const seq = () => Number(live.querySelector("[data-seq]").dataset.seq);

  function address(page = live.dataset.fragment) {
    const query = new URLSearchParams();
    if (live.dataset.player) query.set("player", live.dataset.player);
    draft.forEach((value, name) => query.set(`d.${name}`, value));
    return `${page}${page.includes("?") ? "&" : "?"}${query}`;
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
          signal: AbortSignal.timeout(PATIENCE_MS), // else one dead connection would keep the page as it is
        });
        if (response.redirected) location.replace(response.url); // this device's seat is in another game now
        else if (response.ok) {
          show(await response.text());
          const keptAt = Number(response.headers.get("X-Kept-At")); // the worker had it, not the table
          if (keptAt) line.keptSince(keptAt);
        }
        else toast((await response.json()).error);
      } catch {
        again = !line.isLost(); // when it is lost, its return brings the next refresh
        if (again) await wait(AGAIN_MS);
      }
    }
    fetching = null;
  }

  // the line is refused: where this device's seat is in another game now, its page leads there; asked once until it opens
  async function lookWhere() {
    if (hasLooked) return;
    hasLooked = true;
    const options = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) };
    const response = await fetch(address(), options).catch(() => null);
    if (response?.redirected) location.replace(response.url);
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
      if (kept(unsent) && !live.dataset.corrects) keepDraft(); // it still fits what has come since
    }
    markAnswers();
    follow();
    live.dispatchEvent(new CustomEvent("shown", { detail: { announced, grown: seq() > before } }));
  }

  // a screen that shows whichever game has the table says with each piece whose it is
  function follow() {
    const { session } = live.querySelector("[data-seq]").dataset;
    if (session === undefined || session === live.dataset.session) return;
    live.dataset.session = session;
    if (session) line.reopen();
    else location.reload();
  }

  function announcement(where) {
    return where.querySelector("[data-announce]")?.dataset.announce ?? "";
  }

  function scores(where) {
    return [...where.querySelectorAll("[data-score]")].map((line) => line.dataset.score);
  }

  async function send(url, body, refused = toast) {
    if (line.isLost()) {
      toast(t("No connection to the table: nothing was recorded. Tap again when it is back."));
      return null;
    }
    const response = await post(url, { event_id: newId(), seen_seq: seq(), ...body }, refused);
    if (response) forgetDraft();
    await refresh();
    return response;
  }

  const api = (what) => `/api/sessions/${live.dataset.session}/${what}`;

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

  // The draft is kept with the entry it was chosen at. A page that is loaded anew takes it up as soon as it has heard that
  // nothing it was chosen for has changed since. A correction is begun anew where anything has.

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
    if (live.dataset.corrects) draft.clear(); // what the entry says was chosen anew
    Object.entries(earlier.fields).forEach(([name, value]) => { if (!draft.has(name)) draft.set(name, value); });
    earlier = null;
    keepDraft();
    refresh();
  }

  // corrections: what changes is shown first, and one tap agrees; what was refused is drawn anew with the reason on top

  async function preview(url, event, why = "") {
    const response = await post(url, { event });
    const place = document.getElementById("preview");
    if (why) place.replaceChildren(); // outdated, whatever came instead
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

  // what the camera asks: the last die that is answered sends them all

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
      toast(t("No connection to the table: nothing was recorded. Tap again when it is back."));
      return;
    }
    await post(proposal.dataset.url, { event_id: newId(), corrections, instead });
    await refresh();
  }

  // taps

  // Waits until the page shows what was last chosen on it: until then a button enters what it would without the choice.
  // Resolves to false where the button, or the table, is another by then.
  async function holds(tap) {
    const before = [seq(), tap.textContent];
    await chosen;
    return tap.isConnected && seq() === before[0] && tap.textContent === before[1];
  }

  async function tapped(tap) {
    if (enters(tap) && !await holds(tap)) return warnOfAnother();
    const { event, draft: fields, refused, undo, preview: url, post: plain, value, step, consult } = tap.dataset;
    if (refused) return toast(refused);
    if (event && live.hasAttribute("data-gallery")) return toast(t("This is the gallery: nothing is recorded."), "good");
    if (event) return happened(JSON.parse(event));
    if (fields && !live.hasAttribute("data-gallery")) return change(JSON.parse(fields));
    if (undo !== undefined) return send(api("undo"), undo ? { seq: Number(undo) } : {});
    if (url) return preview(url, null);
    if (plain) return post(plain).then(refresh);
    if (step) return stepNumber(tap, Number(step));
    if (consult && !live.hasAttribute("data-gallery")) return showAnswer(tap, consult);
    if (tap.hasAttribute("data-more")) return showAll(tap);
    if (tap.hasAttribute("data-agree")) return confirm(tap.closest("[data-proposal]"), {});
    if (tap.dataset.instead) return confirm(tap.closest("[data-proposal]"), {}, Number(tap.dataset.instead));
    if (value) return answer(tap);
    return undefined;
  }

  // what was worked out on request holds for the state it was asked in

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
    if (tap.classList.contains("busy")) return; // the first tap of a double tap is the one that counts
    tap.classList.add("busy");
    try {
      await work;
    } finally {
      tap.classList.remove("busy");
    }
  }

  // The second tap of a double tap may meet another button: what the first one entered has moved the page on, or what it
  // chose has brought the button that enters it.

  function meaning(tap) {
    return JSON.stringify([tap.closest("[data-proposal]")?.dataset.proposal, { ...tap.dataset }]);
  }

  function enters({ dataset }) {
    const { event, undo, post: plain, value, agree: yes, instead, preview: correction } = dataset;
    return [event, undo, plain, value, yes, instead, correction].some((each) => each !== undefined);
  }

  function wasMeantForAnother(click, tap) {
    const byFinger = click.detail > 0; // a key says nothing of a place
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
    toast(t("The page has just changed under your finger: tap again if you meant this."));
  }

  function remember(click, tap) {
    tappedBefore = { at: click.timeStamp, x: click.clientX, y: click.clientY, meaning: meaning(tap), entered: enters(tap) };
  }

  document.addEventListener("click", (click) => {
    const tap = click.target.closest("#live button, .correcting-head button");
    if (!tap || tap.type !== "button" || tap.classList.contains("busy")) return;
    if (warnedOfAnother(click, tap)) return;
    remember(click, tap);
    busy(tap, tapped(tap));
  });

  async function typed(form) {
    const field = form.querySelector("input");
    const sent = field.value;
    if (!await holds(form)) return warnOfAnother();
    const value = form.hasAttribute("data-text") ? sent : Number(sent);
    const event = { ...JSON.parse(form.dataset.numberEvent), [form.dataset.field]: value };
    if (live.hasAttribute("data-gallery")) return toast(t("This is the gallery: nothing is recorded."), "good");
    const response = await happened(event);
    if (response && field.value === sent) field.value = ""; // what was typed meanwhile is meant for the next one
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
    if (mine && !live.dataset.corrects) forgetDraft(); // what was chosen was chosen for what no longer is
    takeUp(heardSeq);
    refresh();
  }

  if (live.dataset.session) {
    if (earlier && live.dataset.corrects && earlier.seq !== seq()) earlier = null;
    if (earlier) earlier.until = seq();
    takeUp(earlier?.seq);
    if (document.documentElement.dataset.kept) refresh(); // the sheet may have been kept later than its page
    line = openLine({
      address: () => `${api("stream")}?since=${earlier ? Math.min(earlier.seq, seq()) : seq()}`,
      hear: { entry: changed, change: refresh },
      opened: () => { hasLooked = false; return refresh(); },
      refused: lookWhere,
    });
    addEventListener("pageshow", (shown) => { if (shown.persisted) location.reload(); }); // the browser's "back"
  }
}
