// The one event stream of a page: watched for silence, opened again after sleep, a change of network, a new start of
// the table; and the notice that says how old the page is.

import { announce } from "./announce.js";
import { t } from "./words.js";

const SILENCE_MS = 4500; // two heartbeats (web/live/stream.py) and the whim of a Wi-Fi
const CONNECT_MS = 2500; // a connection that the browser keeps may be dead: another is tried soon
const LOOK_MS = 500;

// address()   where to listen, asked anew each time, so that nothing between two connections is missed; "" for nowhere
// hear        { name: function(message) } for each kind of event
// opened      called whenever the line stands, the first time too
// refused     called whenever the table does not let this page listen, with no line to wait for
export function openLine({ address, hear, opened, refused = () => {} }) {
  const notice = document.getElementById("line");
  let stream = null;
  let kept = Number(document.documentElement.dataset.kept); // by the service worker: when this page was heard
  let heard = kept || Date.now(); // wall time: it goes on while the device sleeps
  let tried = Date.now(); // to connect
  let seen = Date.now(); // since then somebody looks
  let lost = Boolean(kept);

  function alive() {
    heard = Date.now();
    show();
  }

  function connect() {
    stream?.close();
    stream = null;
    tried = Date.now();
    if (document.hidden || !address()) return; // nobody looks: the browser keeps its few connections for other pages
    stream = new EventSource(address());
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
    stream.addEventListener("error", () => { // the browser tries again by itself, the look below where it does not
      const isRefused = stream?.readyState === EventSource.CLOSED; // a line that only broke is opened again
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
    const said = kept ? t("The table is not to be reached. This is how it was {age} ago.", { age: age(Date.now() - heard) })
      : t("Nothing heard from the table for {age}; trying again…", { age: age(Date.now() - heard) });
    notice.querySelector("[data-said]").textContent = said;
  }

  connect();
  show();
  setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", () => {
    seen = Date.now();
    connect();
  });
  document.addEventListener("resume", connect); // a page that was frozen
  addEventListener("online", connect);
  addEventListener("pagehide", () => stream?.close());

  // what is shown was kept by the service worker since then
  function keptSince(wallMs) {
    kept = heard = wallMs;
    say(true);
    show();
  }

  return { isLost: () => lost, reopen: connect, keptSince };
}

function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 100) return t("{n} s", { n: seconds });
  return seconds < 6000 ? t("{n} min", { n: Math.round(seconds / 60) }) : t("{n} h", { n: Math.round(seconds / 3600) });
}
