// Taps on a die of the demo's table, by the chosen tool: roll it, turn it, put it onto the next die or beside all dice,
// take it off, knock it over.

import { here, post } from "./talk.js";
import { chosen } from "./things.js";

let lifted = null; // the die that is put onto the next tapped one

export function isLifted(key) {
  return lifted === key && chosen() === "onto";
}

export async function tapped({ key }) {
  const tool = chosen() ?? "roll";
  if (tool !== "onto") lifted = null;
  if (tool === "roll") await post(here("/table/roll"), { keys: [key] });
  else if (tool !== "onto") await post(here(`/table/dice/${tool}`), { key });
  else if (lifted === null || lifted === key) lifted = lifted === key ? null : key;
  else {
    const die = lifted;
    lifted = null;
    await post(here("/table/dice/put"), { key: die, onto: key });
  }
}

export async function tappedBeside({ x, y }) {
  if (lifted === null || chosen() !== "onto") return;
  const key = lifted;
  lifted = null;
  await post(here("/table/dice/put-down"), { key, x_mm: x, y_mm: y });
}

document.querySelectorAll("[data-each]").forEach((tap) => tap.addEventListener("click", () => {
  post(here("/table/roll"), { each: Number(tap.dataset.each) });
}));
document.getElementById("rebuild").addEventListener("click", () => post(here("/table/dice/rebuild")));
