// A screen that nobody touches: as large as its content lets it be, and awake.

import { startClocks } from "./clock.js";
import { startLive } from "./live.js";
import { startWake } from "./wake.js";

const SMALLEST_PX = 9;
const STEPS = 7; // of halving: finer than anybody sees

const root = document.documentElement;
const live = document.getElementById("live");

function fits(px) {
  root.style.fontSize = `${px}px`;
  return root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth;
}

// The largest letters with which everything is still on the screen: a television cannot be scrolled.
function fit() {
  let low = SMALLEST_PX;
  let high = Math.max(SMALLEST_PX, innerHeight / 26);
  if (fits(high)) return;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  fits(low);
}

if (document.body.classList.contains("on-board")) {
  addEventListener("resize", fit);
  live.addEventListener("shown", fit);
  document.fonts.ready.then(fit);
}
startLive(live);
startClocks();
startWake(() => Boolean(live.dataset.session), true);
