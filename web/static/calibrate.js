// Setting the camera up: asks what it sees for as long as the page is looked at, and tells which die was touched.

import { lookOn, touched } from "./looking.js";
import { post } from "./talk.js";

const page = document.querySelector(".calibrate");
const parts = document.getElementById("calibrate-parts");
const wish = document.getElementById("calibrate-wish");

// What lies on this mat is asked for. A mat that a hand hides for a moment takes no field away.
function ask(seen) {
  if (seen.good === undefined) return;
  for (const field of wish.querySelectorAll("[data-ask]")) {
    const inputs = [...field.querySelectorAll("input")];
    for (const input of inputs) input.placeholder = seen[input.name] ?? "";
    field.hidden = inputs.every((input) => seen[input.name] === undefined);
  }
}

if (page) {
  parts.addEventListener("click", (click) => {
    const image = click.target.closest("img");
    const colour = document.querySelector("input[name=colour]:checked");
    if (image && colour) post(page.dataset.colour, { colour: colour.value, ...touched(image, click) });
  });
  lookOn(parts, () => `${page.dataset.parts}?${new URLSearchParams(new FormData(wish))}`, ask);
}
