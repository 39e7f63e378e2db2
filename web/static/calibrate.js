// Setting the camera up: asks what it sees for as long as the page is looked at, and tells which die was touched.

import { morph } from "./morph.js";
import { post, wait } from "./talk.js";

const LOOK_MS = 400;

const page = document.querySelector(".calibrate");
const parts = document.getElementById("calibrate-parts");
const wish = document.getElementById("calibrate-wish");

async function look() {
  const asked = new URLSearchParams(new FormData(wish));
  const response = await fetch(`${page.dataset.parts}?${asked}`, {
    headers: { "X-Requested-With": "companion" }, cache: "no-store",
  });
  if (!response.ok) return; // what was typed is never refused here; who is shown out hears it by the page's own line
  const fresh = document.createElement("template");
  fresh.innerHTML = await response.text();
  const next = fresh.content.firstElementChild;
  await decoded(next.querySelector("img"));
  morph(parts.firstElementChild, next);
  ask(next.dataset);
}

// What lies on this mat is asked for. A mat that a hand hides for a moment takes no field away.
function ask(seen) {
  if (seen.good === undefined) return;
  for (const field of wish.querySelectorAll("[data-ask]")) {
    const inputs = [...field.querySelectorAll("input")];
    for (const input of inputs) input.placeholder = seen[input.name] ?? "";
    field.hidden = inputs.every((input) => seen[input.name] === undefined);
  }
}

// The next picture is taken over once it is here: an empty place between two would flicker.
async function decoded(image) {
  if (!image) return;
  const ahead = new Image();
  ahead.src = image.getAttribute("src");
  await ahead.decode().catch(() => {}); // the table may be away for a moment
}

parts.addEventListener("click", (click) => {
  const image = click.target.closest("img");
  const colour = document.querySelector("input[name=colour]:checked");
  if (!image || !colour) return;
  const frame = image.getBoundingClientRect();
  post(page.dataset.colour, {
    colour: colour.value,
    x: (click.clientX - frame.left) / frame.width,
    y: (click.clientY - frame.top) / frame.height,
  });
});

while (page) {
  if (!document.hidden) await look().catch(() => {}); // the table may be away for a moment
  await wait(LOOK_MS);
}
