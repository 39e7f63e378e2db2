// A screen that nobody touches: with letters as large as its content allows, and kept awake. If many players do not fit
// at any size, the last of them are only counted.

import { startClocks } from "./clock.js";
import { startLive } from "./live.js";
import { startWake } from "./wake.js";
import { tn } from "./words.js";

const SMALLEST_PX = 9;
const STEPS = 7; // of bisection: finer than anybody sees
const SMALLEST_SHARE = 1 / 100; // of the height of a screen that many share: smaller letters nobody reads
const FREE_SHARE = 0.45; // of the picture that many lines must leave free
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

// The lines of a table at which many play, the leaders first; none of a small one.
const linesOfMany = () => [...live.querySelectorAll(".many :is(.score-line, .standing)")];

// Shows the first lines of a table, and how many are left.
function showFirst(lines, count) {
  live.querySelector(".more-lines")?.remove();
  lines.forEach((line, index) => { line.hidden = index >= count; });
  if (count >= lines.length) return;
  const n = lines.length - count;
  lines[0].parentElement.append(Object.assign(document.createElement("li"), {
    className: "more-lines", textContent: tn("and {n} more", "and {n} more", n),
  }));
}

function leaveOut(lines, good) {
  let few = 0;
  let many = lines.length;
  while (few < many) {
    const middle = Math.ceil((few + many) / 2);
    showFirst(lines, middle);
    if (good()) few = middle;
    else many = middle - 1;
  }
  showFirst(lines, few);
}

// The largest letters with which everything is still on the screen: a television cannot be scrolled.
function fit() {
  const lines = linesOfMany();
  const least = lines.length ? Math.max(SMALLEST_PX, innerHeight * SMALLEST_SHARE) : SMALLEST_PX;
  showFirst(lines, lines.length);
  if (lines.length && !fits(least)) {
    leaveOut(lines, () => fits(least));
    return;
  }
  const all = largest(Math.max(least, innerHeight / 26), fits);
  const whole = largest(all, namesFit);
  fits(whole < Math.max(least, all * NAMES_WORTH) ? all : whole);
}

// Over a picture the letters stay as they are, and most of it stays free.
function overlay() {
  const isFree = () => live.querySelector(".overlay").getBoundingClientRect().top >= innerHeight * FREE_SHARE;
  const lines = linesOfMany();
  if (lines.length) leaveOut(lines, isFree);
}

const arrange = document.body.classList.contains("on-board") ? fit : overlay;
addEventListener("resize", arrange);
live.addEventListener("shown", arrange);
document.fonts.ready.then(arrange);
document.fonts.addEventListener("loadingdone", arrange); // one may be asked for only by what is shown later
startLive(live);
startClocks();
startWake(() => Boolean(live.dataset.session), true);

document.documentElement.dataset.ready = ""; // else the page says that its scripts do not run (unready.html)
