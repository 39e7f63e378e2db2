// The page's event stream: opened again after silence, sleep, a change of network or a restart of the table. While it is
// lost, a notice says how old the page is.

import { announce } from "./announce.js";
import { openStream } from "./shared_stream.js";
import { t } from "./words.js";

const SILENCE_MS = 4500; // two heartbeats (web/live/stream.py), and some delay by the Wi-Fi
const CONNECT_MS = 2500; // the connection that the browser reuses may be dead: then try another soon
const LOOK_MS = 500;

// address()   the stream's address, "" for none; called for each connection, so that no event between two is missed
// hear        { name: function(message) } for each kind of event
// opened      called each time the stream opens, the first time too
// refused     called each time the table refuses the stream, which the browser then does not try again
export function openLine({ address, hear, opened, refused = () => {} }) {
  const notice = document.getElementById("line");
  let stream = null;
  let kept = Number(document.documentElement.dataset.kept); // when the service worker stored this page, NaN if it is new
  let heard = kept || Date.now(); // the last event; wall time, which goes on while the device sleeps
  let tried = Date.now(); // the last attempt to connect
  let seen = Date.now(); // when the page was last shown or hidden
  let lost = Boolean(kept);

  function alive() {
    heard = Date.now();
    show();
  }

  function connect() {
    stream?.close();
    stream = null;
    tried = Date.now();
    if (document.hidden || !address()) return; // a hidden page leaves the browser's few connections to others
    stream = openStream(address());
    stream.addEventListener("open", () => {
      kept = 0;
      say(false);
      alive();
      opened();
    });
    Object.entries({ beat: () => {}, ...hear }).forEach(([name, act]) => stream.addEventListener(name, (message) => {
      alive();
      act(message);
    }));
    stream.addEventListener("error", () => { // the browser connects again by itself; if it does not, `look` does
      const isRefused = stream?.readyState === EventSource.CLOSED; // after a broken connection it would be CONNECTING
      say(true);
      show();
      if (isRefused) refused();
    });
  }

  function look() {
    if (document.hidden || !address()) return;
    const silentMs = Date.now() - Math.max(heard, tried);
    if (Date.now() - Math.max(heard, seen) > SILENCE_MS) say(true);
    if (silentMs > (stream?.readyState === EventSource.OPEN ? SILENCE_MS : CONNECT_MS)) connect();
    show();
  }

  function say(now) {
    if (now !== lost) announce(now ? t("No connection to the table.") : t("The table is back."));
    lost = now;
  }

  function show() {
    document.body.classList.toggle("lost", lost);
    document.body.dataset.line = stream?.readyState === EventSource.OPEN ? "open" : "down";
    notice.hidden = !lost;
    if (!lost) return;
    const said = kept ? t("Can't reach the table. Showing the score from {age} ago.", { age: age(Date.now() - heard) })
      : t("No word from the table for {age}. Trying again…", { age: age(Date.now() - heard) });
    notice.querySelector("[data-said]").textContent = said;
  }

  connect();
  show();
  setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", () => {
    seen = Date.now();
    connect();
  });
  document.addEventListener("resume", connect); // after the browser had frozen the page
  addEventListener("online", connect);
  addEventListener("pagehide", () => stream?.close());

  // The page shows what the service worker stored at that time.
  function keptSince(wallMs) {
    kept = heard = wallMs;
    say(true);
    if (stream?.readyState === EventSource.OPEN) connect(); // the table is only busy: when it opens, it is asked again
    show();
  }

  return { isLost: () => lost, reopen: connect, keptSince };
}

function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 100) return t("{n} s", { n: seconds });
  return seconds < 6000 ? t("{n} min", { n: Math.round(seconds / 60) }) : t("{n} h", { n: Math.round(seconds / 3600) });
}
