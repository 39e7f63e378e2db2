// Showing the cards of a bought deck: asks what the camera sees, and which of its pictures is to be kept.

import { lookOn, touched } from "./looking.js";
import { post } from "./talk.js";

const page = document.querySelector(".deck");
const parts = document.getElementById("deck-parts");
const keep = document.getElementById("deck-keep");

if (page) {
  parts.addEventListener("click", (click) => {
    const image = click.target.closest("img.calibrate-picture");
    if (image) post(page.dataset.tap, touched(image, click));
  });
  lookOn(parts, () => page.dataset.parts, (seen) => {
    keep.elements.cut.value = seen.cut ?? "";
    keep.querySelector("button").disabled = seen.cut === undefined;
    keep.querySelector("[data-alike]").hidden = seen.known === undefined || seen.known === keep.elements.number.value;
  });
}
