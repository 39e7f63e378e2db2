// Setting up the table: fetches the presses and the camera's photo repeatedly while the page is visible.

import { morph } from "./morph.js";
import { post, wait } from "./talk.js";

const LOOK_MS = 300;

const parts = document.getElementById("wizard-parts");

async function look() {
  const response = await fetch(parts.dataset.parts, { headers: { "X-Requested-With": "companion" }, cache: "no-store" });
  if (!response.ok) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = await response.text();
  morph(parts.firstElementChild, fresh.content.firstElementChild);
}

parts.addEventListener("submit", (submit) => {
  submit.preventDefault();
  post(submit.target.action);
});

(async () => {
  for (;;) {
    if (!document.hidden) await look().catch(() => {}); // the table may be away for a moment
    await wait(LOOK_MS);
  }
})();
