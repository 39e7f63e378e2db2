// Table time on this tablet, and the clocks drawn from it. Nothing here counts: each frame asks what time it is.

import { here, withTicket } from "./talk.js";
import { number } from "./words.js";

const ROUND_TRIPS = 6; // the quickest of them is believed
const AGAIN_MS = 60_000;
const RETRY_MS = 1000;
const PATIENCE_MS = 5000;
const LAST_US = 10_000_000; // tenths are shown from here on

let offsetUs = null;
let again = 0;

export function nowUs() {
  return offsetUs === null ? null : performance.now() * 1000 + offsetUs;
}

async function roundTrip() {
  const sent = performance.now();
  const address = withTicket(here("/api/clock"));
  const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) return null; // this device may not ask any more
  const { now_us: tableUs } = await response.json();
  const back = performance.now();
  return { took: back - sent, offset: tableUs - ((sent + back) / 2) * 1000 };
}

export async function learnOffset() {
  let best = null;
  let isLost = false;
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    try {
      const found = await roundTrip();
      if (!found) break;
      if (!best || found.took < best.took) best = found;
    } catch {
      isLost = true;
      break; // what was learned before still holds
    }
  }
  clearTimeout(again);
  if (best) offsetUs = best.offset;
  else if (isLost) again = setTimeout(learnOffset, RETRY_MS); // a device that wakes has no Wi-Fi yet, and its clock may have stood still
}

function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function face(leftUs) {
  if (leftUs > 0 && leftUs <= LAST_US) return number(Math.floor(leftUs / 100_000) / 10, 1);
  return minutes(Math.max(0, Math.ceil(leftUs / 1_000_000)));
}

function drawClock(clock, now) {
  const fromUs = Number(clock.dataset.from);
  const untilUs = Number(clock.dataset.until);
  const running = clock.dataset.from !== undefined && now !== null;
  const upward = running && clock.dataset.until === undefined; // it counts up, and has no last seconds
  const counting = running && now < fromUs;
  let leftUs = running ? Math.max(0, untilUs - Math.max(now, fromUs)) : Number(clock.dataset.left);
  if (upward) leftUs = Math.max(0, now - fromUs);
  let text = upward ? minutes(Math.floor(leftUs / 1_000_000)) : face(leftUs);
  if (counting) text = String(Math.ceil((fromUs - now) / 1_000_000));
  const shown = clock.querySelector("[data-clock-face]");
  if (shown.textContent !== text) shown.textContent = text;
  clock.classList.toggle("counting", counting);
  clock.classList.toggle("last-seconds", running && !upward && !counting && leftUs <= LAST_US);
  const share = running && !upward ? leftUs / (untilUs - fromUs) : 1;
  clock.querySelector("[data-clock-bar]").setAttribute("width", String(100 * share));
}

// Also called for a page that was just renewed: its clocks must not say "go" until the next frame of a busy tablet.
export function drawClocks() {
  const now = nowUs();
  document.querySelectorAll("[data-clock]").forEach((clock) => drawClock(clock, now));
}

function drawAlways() {
  drawClocks();
  requestAnimationFrame(drawAlways);
}

// The clocks that run or are about to, as instants of table time.
export function clocksAhead() {
  return [...document.querySelectorAll("[data-clock][data-until]")].map((clock) => (
    { fromUs: Number(clock.dataset.from), untilUs: Number(clock.dataset.until) }));
}

export function startClocks() {
  learnOffset();
  setInterval(learnOffset, AGAIN_MS);
  // while a device sleeps its own clock may stand still
  document.addEventListener("visibilitychange", () => { if (!document.hidden) learnOffset(); });
  document.addEventListener("resume", learnOffset);
  requestAnimationFrame(drawAlways);
}
