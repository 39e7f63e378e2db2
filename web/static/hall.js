// The hall's board: fetched anew when a table has changed, its clocks drawn in between, and turned page by page where it
// is larger than a projector's picture, which nobody scrolls.

import { morphChildren } from "./morph.js";
import { hearTaps, ringFor } from "./bell.js";
import { followForms, holdFields } from "./hall_forms.js";
import { number, t } from "./words.js";

const BREATH_MS = 500; // between two looks, however often tables change
const SILENCE_MS = 6000; // three beats of the stream (web/hub/board.py)
const TURN_MS = 12000;
const DRAW_MS = 200;
const SHARES = [1 / 26, 1 / 30, 1 / 36, 1 / 42]; // of a projector's height: few tables are shown in larger letters
const LAST_US = 10_000_000; // tenths are shown from here on

const hall = document.getElementById("hall");
const notice = document.getElementById("line");
let heard = performance.now();
let fetched = performance.now();
let wanted = false;
let page = 0;

function face(leftUs) {
  if (leftUs > 0 && leftUs <= LAST_US) return number(Math.floor(leftUs / 100_000) / 10, 1);
  const seconds = Math.max(0, Math.ceil(leftUs / 1_000_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function drawClocks() {
  const passedUs = (performance.now() - fetched) * 1000;
  hall.querySelectorAll("[data-left]").forEach((clock) => {
    const leftUs = Number(clock.dataset.left) - passedUs;
    const text = face(leftUs);
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("last-seconds", leftUs <= LAST_US);
  });
}

// The largest letters with which all tables are in the picture; the usual ones where they are not at any size.
function enlarge() {
  const root = document.documentElement;
  const fits = SHARES.some((share) => {
    root.style.fontSize = `${innerHeight * share}px`;
    return root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth;
  });
  if (!fits) root.style.fontSize = "";
}

// Shows as many rows of tables as there is room for, from the page that is due.
function arrange() {
  const tables = [...hall.querySelectorAll(".hall-table")];
  const says = hall.querySelector("[data-pages]");
  document.body.classList.remove("paged");
  tables.forEach((table) => { table.hidden = false; });
  if (says) says.textContent = "";
  document.documentElement.style.fontSize = "";
  const isProjector = matchMedia("(min-width: 60rem) and (orientation: landscape)").matches;
  if (!isProjector || !tables.length || !document.body.classList.contains("on-hall")) return;
  enlarge();
  if (document.documentElement.scrollHeight <= innerHeight) return;
  const pages = [[]];
  let top = tables[0].offsetTop;
  const room = innerHeight - top - 8;
  tables.forEach((table) => {
    if (table.offsetTop + table.offsetHeight - top > room && table.offsetTop > top) {
      pages.push([]);
      top = table.offsetTop;
    }
    pages[pages.length - 1].push(table);
  });
  page %= pages.length;
  tables.forEach((table) => { table.hidden = !pages[page].includes(table); });
  document.body.classList.add("paged");
  if (says && pages.length > 1) says.textContent = t("Page {page} of {pages}", { page: page + 1, pages: pages.length });
}

async function renew() {
  wanted = false;
  try {
    const answer = await fetch(hall.dataset.fragment, { cache: "no-store", signal: AbortSignal.timeout(SILENCE_MS) });
    if (!answer.ok) return;
    const fresh = document.createElement("main");
    fresh.innerHTML = await answer.text();
    fetched = performance.now();
    heard = fetched;
    const putBack = holdFields();
    morphChildren(hall, fresh);
    putBack();
    arrange();
    drawClocks();
    ringFor(hall);
  } catch { // the line is lost: the notice says so
    wanted = true;
  }
}

function startBoard() {
  const stream = new EventSource(hall.dataset.stream);
  const hear = () => {
    heard = performance.now();
    wanted = true;
  };
  stream.addEventListener("change", hear);
  stream.addEventListener("beat", hear);
  let busy = false;
  setInterval(async () => {
    const lost = performance.now() - heard > SILENCE_MS;
    notice.hidden = !lost;
    document.body.classList.toggle("lost", lost);
    if (busy || document.hidden || !(wanted || lost)) return;
    busy = true;
    await renew();
    busy = false;
  }, BREATH_MS);
  setInterval(drawClocks, DRAW_MS);
  setInterval(() => {
    page += 1;
    arrange();
  }, TURN_MS);
  addEventListener("resize", arrange);
  document.fonts.ready.then(arrange);
  hearTaps();
  followForms(hall, renew);
  ringFor(hall);
  drawClocks();
}

if (hall) startBoard();
document.querySelectorAll("[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => print());
});
document.documentElement.dataset.ready = ""; // else the page says that its scripts do not run (unready.html)
