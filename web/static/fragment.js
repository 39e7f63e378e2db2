// The part of a page that shows a session: it is fetched again when the table says that something has changed.

import { announce } from "./announce.js";
import { drawClocks } from "./clock.js";
import { lifted } from "./finger.js";
import { openLine } from "./line.js";
import { morph } from "./morph.js";
import { here, toast, wait, withTicket } from "./talk.js";
import { t, tn } from "./words.js";

const PATIENCE_MS = 5000;
const AGAIN_MS = 500;

const every = (where, name) => [...where.querySelectorAll(`[data-${name}]`)].map((part) => part.dataset[name]);
const heard = (where) => ({
  entry: where.querySelector("[data-happened]")?.dataset.entry,
  scores: every(where, "score"),
  tasks: every(where, "announce"),
});

// Who only listens hears what happened, once an entry, then what it gave, then what is to be done now. Of several entries
// that came at once the newest is said, and how many came before it.
function announceChanges(where, before, entries) {
  const now = heard(where);
  const scored = now.scores.filter((score) => !before.scores.includes(score));
  const asked = now.tasks.filter((task) => !before.tasks.includes(task));
  if (now.entry !== before.entry) {
    if (entries > 1) announce(tn("{n} other thing happened first.", "{n} other things happened first.", entries - 1));
    every(where, "happened").filter(Boolean).forEach(announce);
  }
  if (scored.length) announce(t("Score: {scores}", { scores: scored.join(", ") }));
  asked.forEach(announce);
  return asked.join(" ");
}

// shown(isOther, fields) is called when a fresh fragment stands there, with whether it is of another entry, and the draft
// that it shows
export function openFragment(live, draft, shown) {
  let fetching = null; // a promise, while the fragment is fetched; resolves when the page is up to date
  let again = false;
  let hasLooked = false; // whether the page's address is fetched, or was answered, since the stream was refused
  let line = { isLost: () => false };

  const seq = () => Number(live.querySelector("[data-seq]").dataset.seq);
  const api = (what) => here(`/api/sessions/${live.dataset.session}/${what}`);

  function address(page = live.dataset.fragment) {
    const query = new URLSearchParams();
    if (live.dataset.player) query.set("player", live.dataset.player);
    draft.fields.forEach((value, name) => query.set(`d.${name}`, value));
    return withTicket(`${page}${page.includes("?") ? "&" : "?"}${query}`);
  }

  function refresh() {
    again = true;
    fetching ??= drawAnew();
    return fetching;
  }

  // To the table, a page that somebody opens: what pages fetch by themselves wakes nobody.
  const wake = () => fetch(address(), { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);

  async function drawAnew() {
    while (again) {
      again = false;
      const fields = new Map(draft.fields);
      try {
        const response = await fetch(address(), {
          headers: { "X-Requested-With": "companion" },
          cache: "no-store",
          signal: AbortSignal.timeout(PATIENCE_MS), // without it one dead connection would stop all updates
        });
        if (response.redirected) location.replace(response.url); // this device's seat is in another game now
        else if (response.ok) {
          const html = await response.text();
          await lifted(); // a button that goes away under a finger would lose its tap
          show(html, fields);
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

  function show(html, fields) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const [before, known] = [seq(), heard(live)];
    morph(live.querySelector("[data-seq]"), fresh.content.querySelector("[data-seq]"));
    drawClocks();
    const announced = announceChanges(live, known, seq() - before);
    shown(seq() !== before, fields);
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

  function listen(entered) {
    line = openLine({
      address: () => withTicket(`${api("stream")}?since=${draft.since()}`),
      hear: { entry: entered, change: refresh },
      opened: () => { hasLooked = false; return refresh(); },
      refused: lookWhere,
    });
  }

  return { seq, api, address, refresh, wake, listen, isLost: () => line.isLost() };
}
