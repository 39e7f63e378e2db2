// Plays the clip of a throw: a strip of small pictures, drawn one after the other over the page. It plays once; a tap on
// it plays it again. Without this script the link shows the strip.

import { t } from "./words.js";

const HELD_MS = 600; // the last picture before it may play again

let open = null;

function close() {
  open?.remove();
  open = null;
}

function play(canvas, strip, frames, span_ms) {
  const pen = canvas.getContext("2d");
  const height = strip.naturalHeight / frames;
  const began = performance.now();
  const draw = () => {
    const share = Math.min(1, (performance.now() - began) / Math.max(1, span_ms));
    const at = Math.round(share * (frames - 1));
    pen.drawImage(strip, 0, at * height, canvas.width, height, 0, 0, canvas.width, canvas.height);
    canvas.dataset.frame = at;
    if (share < 1 && canvas.isConnected) requestAnimationFrame(draw);
    else setTimeout(() => { canvas.dataset.ended = "yes"; }, HELD_MS);
  };
  delete canvas.dataset.ended;
  draw();
}

async function show(link) {
  const strip = new Image();
  strip.src = link.href;
  await strip.decode();
  const frames = Number(link.dataset.clip);
  close();
  open = document.createElement("div");
  open.className = "clip";
  open.setAttribute("role", "dialog");
  open.setAttribute("aria-label", t("The throw again"));
  const canvas = document.createElement("canvas");
  canvas.width = strip.naturalWidth;
  canvas.height = strip.naturalHeight / frames;
  const again = document.createElement("button");
  again.type = "button";
  again.className = "tap t-plain";
  again.textContent = t("Play it again");
  const end = document.createElement("button");
  end.type = "button";
  end.className = "tap t-plain";
  end.textContent = t("Close it");
  const taps = document.createElement("p");
  taps.className = "taps";
  taps.append(again, end);
  open.append(canvas, taps);
  document.body.append(open);
  const start = () => play(canvas, strip, frames, Number(link.dataset.spanMs));
  again.addEventListener("click", start);
  canvas.addEventListener("click", start);
  end.addEventListener("click", () => { close(); link.focus(); });
  end.focus();
  start();
}

export function startClips() {
  document.addEventListener("click", (click) => {
    const link = click.target.closest("[data-clip]");
    if (!link) return;
    click.preventDefault();
    show(link).catch(() => { window.open(link.href, link.target); }); // deleted meanwhile: the answer says so
  });
  document.addEventListener("keydown", (key) => { if (key.key === "Escape") close(); });
}
