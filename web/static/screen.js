// A screen that nobody touches: as large as its content lets it be, and awake.

import { startClocks } from "./clock.js";
import { startLive } from "./live.js";
import { startWake } from "./wake.js";

const SMALLEST_PX = 9;
const STEPS = 7; // of halving: finer than anybody sees
const NAMES_WORTH = 0.5; // names in one piece may cost half the size; a longer one is broken instead

const root = document.documentElement;
const live = document.getElementById("live");

function fits(px) {
  root.style.fontSize = `${px}px`;
  return root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth;
}

// Whether every word of a name stands in one piece.
function isWhole(name) {
  const letters = name.lastChild;
  const range = document.createRange();
  return [...letters.textContent.matchAll(/\S+/g)].every((word) => {
    range.setStart(letters, word.index);
    range.setEnd(letters, word.index + word[0].length);
    return range.getClientRects().length === 1;
  });
}

const namesFit = (px) => fits(px) && [...live.querySelectorAll(".score-name")].every(isWhole);

function largest(most, good) {
  if (good(most)) return most;
  let low = SMALLEST_PX;
  let high = most;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (good(middle)) low = middle;
    else high = middle;
  }
  return low;
}

// The largest letters with which everything is still on the screen: a television cannot be scrolled.
function fit() {
  const all = largest(Math.max(SMALLEST_PX, innerHeight / 26), fits);
  const whole = largest(all, namesFit);
  fits(whole < all * NAMES_WORTH ? all : whole);
}

if (document.body.classList.contains("on-board")) {
  addEventListener("resize", fit);
  live.addEventListener("shown", fit);
  document.fonts.ready.then(fit);
}
startLive(live);
startClocks();
startWake(() => Boolean(live.dataset.session), true);
