// A page with a live view of a camera: it fetches its changing part repeatedly while it is visible.

import { morph } from "./morph.js";
import { wait } from "./talk.js";

const LOOK_MS = 400;

// `address()` is where to fetch the part; `seen` is called with the data attributes of the newest one.
export async function lookOn(parts, address, seen) {
  for (;;) {
    if (!document.hidden) await look(parts, address(), seen).catch(() => {}); // the table may be away for a moment
    await wait(LOOK_MS);
  }
}

async function look(parts, address, seen) {
  const response = await fetch(address, { headers: { "X-Requested-With": "companion" }, cache: "no-store" });
  if (!response.ok) return; // what was typed is never refused here; who is shown out hears it by the page's own line
  const fresh = document.createElement("template");
  fresh.innerHTML = await response.text();
  const next = fresh.content.firstElementChild;
  await Promise.all([...next.querySelectorAll("img")].map(decoded));
  morph(parts.firstElementChild, next);
  seen(next.dataset);
}

// The next picture is taken over once it is here: an empty place between two would flicker.
async function decoded(image) {
  const ahead = new Image();
  ahead.src = image.getAttribute("src");
  await ahead.decode().catch(() => {}); // the table may be away for a moment
}

// Where a picture was touched, as parts of its width and height.
export function touched(image, click) {
  const frame = image.getBoundingClientRect();
  return { x: (click.clientX - frame.left) / frame.width, y: (click.clientY - frame.top) / frame.height };
}
