// What the staff of the hall have this table ring: said once on each device, with a tone where its sounds are on. The
// first page, which follows nothing else, looks every few seconds what the hall has for the table.

import { announce } from "./announce.js";
import { morph } from "./morph.js";
import { say, sound } from "./sounds.js";
import { toast } from "./talk.js";

const LOOK_MS = 5000;
const PATIENCE_MS = 4000;
const KEPT = "chime"; // the id of the last one that was said, so that no other page of this window says it again
const SECOND_S = 0.45; // between the two tones

function ring() {
  const line = document.querySelector("[data-chime]");
  if (!line || sessionStorage.getItem(KEPT) === line.dataset.chime) return;
  sessionStorage.setItem(KEPT, line.dataset.chime);
  const sentence = line.textContent.trim();
  toast(sentence, "plain");
  sound("turn");
  sound("turn", SECOND_S);
  say(sentence);
  announce(sentence);
}

async function look(parts) {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    parts.forEach((part) => {
      const now = fresh.querySelector(part);
      if (now) morph(document.querySelector(part), now);
    });
    ring();
  } catch { // the table is away: the next look finds it again
  }
}

export function startChime(live) {
  live?.addEventListener("shown", ring);
  if (document.querySelector("[data-hall]")) setInterval(() => look(["[data-hall]", ".status"]), LOOK_MS);
  ring();
}
