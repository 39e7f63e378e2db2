// A photo of a board without a mat: a person puts four numbered rings onto the board's corners.

import { keep, kept } from "./unsent.js";
import { t } from "./words.js";

const AT_FIRST = [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85]];
const SHOWN_PX = 1600; // longer side of the photo as shown
const NEAR_PX = 48; // a finger so near to a ring drags it beside itself, where it covers nothing; elsewhere the ring jumps
const STEP = 0.004; // of an arrow key

// [x, y] of each corner as shares of the photo's width and height, from row 1, column 1 clockwise; null if the person
// gives up, or this browser cannot open the photo. `name` is what the corners are kept under.
export async function askCorners(file, name) {
  let image;
  try {
    image = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
  const corners = kept(name) ?? AT_FIRST.map((corner) => [...corner]);
  const dialog = drawn(image);
  const area = dialog.querySelector(".corners-photo");
  const rings = [...dialog.querySelectorAll(".corner-ring")];
  const outline = dialog.querySelector("polygon");

  function place(index, x, y) {
    corners[index] = [x, y].map((share) => Math.min(1, Math.max(0, share)));
    show();
  }
  function show() {
    rings.forEach((ring, index) => {
      ring.style.left = `${100 * corners[index][0]}%`;
      ring.style.top = `${100 * corners[index][1]}%`;
    });
    outline.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
  }
  show();
  dragging(area, corners, place);
  rings.forEach((ring, index) => ring.addEventListener("keydown", (key) => {
    const [right, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key.key] ?? [0, 0];
    if (!right && !down) return;
    key.preventDefault();
    place(index, corners[index][0] + STEP * right, corners[index][1] + STEP * down);
  }));

  return new Promise((resolve) => {
    let read = false;
    dialog.querySelector("[data-read]").addEventListener("click", () => { read = true; });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (read) keep(name, corners);
      resolve(read ? corners : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function drawn(image) {
  const dialog = document.createElement("dialog");
  dialog.className = "preview corners-dialog";
  dialog.setAttribute("aria-labelledby", "corners-title");
  const rings = AT_FIRST.map((_corner, index) => `<button type="button" class="corner-ring"><span>${index + 1}</span></button>`);
  dialog.innerHTML = `<h2 id="corners-title"></h2><p></p><div class="corners-photo"><canvas></canvas>
<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><polygon></polygon></svg>${rings.join("")}</div>
<form method="dialog" class="preview-taps"><button class="tap big t-primary" data-read></button><button class="tap big t-plain"></button></form>`;
  dialog.querySelector("h2").textContent = t("Where is the board?");
  dialog.querySelector("p").textContent = t("Drag ring 1 onto the corner at row 1, column 1. Then put 2, 3 and 4 onto the others, clockwise.");
  const [read, cancel] = dialog.querySelectorAll("form button");
  read.textContent = t("Read the board");
  cancel.textContent = t("Cancel");
  dialog.querySelectorAll(".corner-ring").forEach((ring, index) => ring.setAttribute("aria-label", t("Corner {n}", { n: index + 1 })));
  const canvas = dialog.querySelector("canvas");
  const share = Math.min(1, SHOWN_PX / Math.max(image.width, image.height));
  canvas.width = Math.round(image.width * share);
  canvas.height = Math.round(image.height * share);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return dialog;
}

function dragging(area, corners, place) {
  let held = null; // the ring's index, and where it lies from the finger, as shares
  const at = (pointer) => {
    const { left, top, width, height } = area.getBoundingClientRect();
    return { x: (pointer.clientX - left) / width, y: (pointer.clientY - top) / height, width, height };
  };
  area.addEventListener("pointerdown", (pointer) => {
    const { x, y, width, height } = at(pointer);
    const away = corners.map((corner) => Math.hypot((corner[0] - x) * width, (corner[1] - y) * height));
    const index = away.indexOf(Math.min(...away));
    const near = away[index] < NEAR_PX;
    held = { index, right: near ? corners[index][0] - x : 0, down: near ? corners[index][1] - y : 0 };
    area.setPointerCapture(pointer.pointerId);
    if (!near) place(index, x, y);
  });
  area.addEventListener("pointermove", (pointer) => {
    if (!held) return;
    const { x, y } = at(pointer);
    place(held.index, x + held.right, y + held.down);
  });
  ["pointerup", "pointercancel"].forEach((end) => area.addEventListener(end, () => { held = null; }));
}
