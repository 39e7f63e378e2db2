// Who sits at the demo's table: the page stays open while one game follows another.

import { here } from "./talk.js";
import { t, tn } from "./words.js";

const FEW_SEATS = 4; // shown while nobody has sat down; the box may have more
const scoreboard = document.getElementById("scoreboard");
const free = document.getElementById("seats-free");
let told = "";

// A seat that moves within the page loses the focus.
function arrange(seats, taken) {
  const place = document.getElementById("seats-taken");
  if (place.children.length === Math.min(taken, seats.length)) return;
  const focused = document.activeElement;
  place.append(...seats.slice(0, taken));
  free.append(...seats.slice(taken));
  if (seats.some((seat) => seat.contains(focused))) focused.focus();
}

export function drawSeated(seated) {
  const now = JSON.stringify(seated);
  if (now === told) return;
  told = now;
  const { game, blocks, names } = seated;
  document.body.classList.toggle("without-blocks", !blocks);
  scoreboard.hidden = game === null;
  document.getElementById("no-game").hidden = game !== null;
  if (game !== null) scoreboard.href = here(`/s/${game}`);
  if (!free) return; // a table without a box
  const seats = [...document.querySelectorAll(".stack-place")].sort((one, other) => one.dataset.seat - other.dataset.seat);
  const taken = names.length || FEW_SEATS;
  seats.forEach((seat, index) => {
    seat.querySelector(".sitter").textContent = index < names.length ? names[index] || t("somebody") : "";
  });
  arrange(seats, taken);
  const more = free.closest("details");
  more.hidden = seats.length <= taken;
  more.querySelector("summary").textContent = tn("{n} more seat", "{n} more seats", seats.length - taken);
}
