// What a finger is on: the page is not drawn anew under it, and a tap means the button on which the finger went down,
// also where something has moved it away since.

const HELD_MS = 1000; // a finger that rests longer holds up nothing
const CLICK_MS = 100; // from the finger's lifting until its click; older browsers wait that long
const MOVED_PX = 30;

let down = null; // { tap, x, y, at } of the finger on the page, and of the last one until its click
let isDown = false;
let waiting = [];
let timer = 0;

function lift() {
  isDown = false;
  clearTimeout(timer);
  waiting.forEach((resolve) => resolve());
  waiting = [];
}

function liftAfter(ms) {
  clearTimeout(timer);
  timer = setTimeout(lift, ms);
}

addEventListener("pointerdown", (press) => {
  down = { tap: press.target.closest("button"), x: press.clientX, y: press.clientY, at: press.timeStamp };
  isDown = true;
  liftAfter(HELD_MS);
}, true);
addEventListener("pointerup", () => liftAfter(CLICK_MS), true);
addEventListener("pointercancel", lift, true); // the page scrolls
addEventListener("click", () => setTimeout(lift), true); // once the click was dealt with

// Resolves when no finger is on the page.
export function lifted() {
  return isDown ? new Promise((resolve) => { waiting.push(resolve); }) : Promise.resolve();
}

// The button that a click means, null for none.
export function tapOf(click) {
  const hit = click.target.closest("button");
  const byKey = click.detail === 0; // such a click has no place
  if (byKey || !down || click.timeStamp - down.at > HELD_MS) return hit;
  if (Math.hypot(click.clientX - down.x, click.clientY - down.y) > MOVED_PX) return hit;
  return down.tap;
}
