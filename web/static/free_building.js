// Building freely on the demo's table: turning the next block, showing where it will come to rest, putting it down.

import { here, post } from "./talk.js";
import { number, t } from "./words.js";

const STEP_MM = 2.5; // a thumb cannot aim more finely

const hands = new WeakMap(); // the place of a seat → { x, stack }: where its next block is held, and its stack now

function wayIn(where) {
  const { value, dataset } = where.querySelector(".way input:checked");
  return { way: value, width: Number(dataset.acrossMm), height: Number(dataset.uprightMm) };
}

function isOpen(where) {
  return where.querySelector(".free-building").open;
}

function restsAt({ blocks }, x, width) {
  const below = blocks.filter((each) => Math.abs(each.x_mm - x) < (each.across_mm + width) / 2);
  return Math.max(0, ...below.map((each) => each.foot_mm + each.upright_mm));
}

// Holds the block as near to `x` as its space allows.
function hold(where, x) {
  const { width, height } = wayIn(where);
  const { stack } = hands.get(where);
  const most = (Number(where.querySelector(".free-building").dataset.spaceMm) - width) / 2;
  const held = Math.min(most, Math.max(-most, STEP_MM * Math.round(x / STEP_MM))) || 0; // which is never −0
  hands.set(where, { x: held, stack });
  const place = { x: held - width / 2, y: -restsAt(stack, held, width) - height, width, height };
  Object.entries(place).forEach(([key, value]) => where.querySelector(".in-hand").setAttribute(key, String(value)));
  where.querySelector(".free-building output").textContent = t("{mm} mm", { mm: number(held, 1) });
}

export function drawInHand(where, stack) {
  const x = hands.get(where)?.x ?? 0;
  hands.set(where, { x, stack });
  hold(where, x);
}

function put(where) {
  post(here(`/table/stacks/${where.dataset.seat}/put`), { way: wayIn(where).way, x_mm: hands.get(where).x });
}

function slide(where, drawing) {
  const toward = (pointer) => {
    hold(where, new DOMPoint(pointer.clientX, pointer.clientY).matrixTransform(drawing.getScreenCTM().inverse()).x);
  };
  drawing.addEventListener("pointerdown", (pointer) => {
    if (!isOpen(where) || pointer.button !== 0) return;
    drawing.setPointerCapture(pointer.pointerId);
    toward(pointer);
  });
  drawing.addEventListener("pointermove", (pointer) => {
    if (isOpen(where) && (pointer.pointerType === "mouse" || drawing.hasPointerCapture(pointer.pointerId))) toward(pointer);
  });
  drawing.addEventListener("pointerup", (pointer) => { // one that scrolls the page instead is cancelled, and puts nothing
    if (isOpen(where) && drawing.hasPointerCapture(pointer.pointerId)) put(where);
  });
}

document.querySelectorAll(".stack-place").forEach((where) => {
  drawInHand(where, { blocks: [] }); // until the table has told
  slide(where, where.querySelector(".stack"));
  where.querySelectorAll(".way input").forEach((way) => way.addEventListener("change", () => hold(where, hands.get(where).x)));
  where.querySelectorAll("[data-step]").forEach((tap) => tap.addEventListener("click", () => {
    hold(where, hands.get(where).x + STEP_MM * Number(tap.dataset.step));
  }));
  where.querySelector("[data-put]").addEventListener("click", () => put(where));
});
