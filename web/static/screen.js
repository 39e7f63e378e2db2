// A screen that nobody touches: follows the game, says for some seconds what has just happened, and stays awake.

import { startClocks } from "./clock.js";
import { startLive } from "./live.js";
import { startWake } from "./wake.js";

const FRESH_MS = 5000; // long enough to look up and read it

const live = document.getElementById("live");
const entry = () => live.firstElementChild?.dataset.seq;
let known = entry();
let calm = 0;

live.addEventListener("shown", () => {
  if (entry() === known) return;
  known = entry();
  live.classList.add("fresh");
  clearTimeout(calm);
  calm = setTimeout(() => live.classList.remove("fresh"), FRESH_MS);
});
startLive(live);
startClocks();
startWake(() => Boolean(live.dataset.session), true);

document.documentElement.dataset.ready = ""; // else the page says that its scripts do not run (unready.html)
