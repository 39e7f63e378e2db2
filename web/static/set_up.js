// Setting up: a preset fills in the house rules, and a change of one makes them the table's own. Names stay as typed,
// after a reload and in another language, too.

import { forgetOthers, keep, kept } from "./unsent.js";
import { t } from "./words.js";

const form = document.querySelector("form.set-up");

async function fillIn(preset) {
  const response = await fetch(preset.dataset.href, { cache: "no-store" });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const open = form.querySelector("#house-rules").open;
  form.querySelector("#house-rules").replaceWith(page.querySelector("#house-rules"));
  form.querySelector("#house-rules").open = open;
}

form.addEventListener("change", (change) => {
  if (change.target.name === "preset") fillIn(change.target);
});

// a switch changed by hand makes the game the table's own
form.addEventListener("change", (change) => {
  if (change.target.closest("fieldset.option")) sayChanged();
});

// a colour that another seat had: the two change places, so that nobody has to look for a free one
form.addEventListener("change", ({ target }) => {
  if (!target.matches(".menu-field select")) return;
  const others = [...target.closest("fieldset").querySelectorAll("select")].filter((each) => each !== target);
  const same = others.find((each) => each.value === target.value);
  if (same) same.value = target.dataset.was;
  [target, ...others].forEach((each) => { each.dataset.was = each.value; });
});

function sayChanged() {
  const preset = form.querySelector("input[name=preset]:checked");
  if (preset) preset.closest(".preset").classList.add("changed");
  form.querySelector("[data-switches]").textContent = t("changed by hand, so now your own");
}

// people and entrants: a tap sits a name down where nobody sits yet, another takes it back
const lists = [...form.querySelectorAll(".seat-list")];
const names = lists.flatMap((list) => [...list.querySelectorAll("[data-entrant]")]);
const places = () => [...form.querySelectorAll("input[name=player]")];
const isFree = (place) => place.value === "" || ("nobody" in place.dataset && place.value === place.defaultValue);

function mark() {
  const seated = places().map((place) => place.value);
  names.forEach((tap) => tap.setAttribute("aria-pressed", String(seated.includes(tap.dataset.entrant))));
}

function freePlace() {
  const more = form.querySelector("[data-add-player]");
  if (!places().some(isFree) && !more.hidden) more.click();
  return places().find((place) => place.value !== "" && isFree(place)) ?? places().find(isFree);
}

function sit(name) {
  const seat = places().find((place) => place.value === name);
  const place = seat ?? freePlace();
  if (place) place.value = seat ? "" : name;
  mark();
}

lists.forEach((list) => {
  list.hidden = false;
  list.addEventListener("click", (click) => {
    const name = click.target.closest("[data-entrant]")?.dataset.entrant;
    if (name !== undefined) sit(name);
  });
});
mark();

// what was typed or tapped and not yet sent, until a game has begun or the table was cleared: the next group starts afresh;
// a place that nobody took keeps its name in the page's language
const moment = `new game ${form.dataset.moment} `;
const unsent = moment + form.elements.game.value;
const isUntouched = (place) => "nobody" in place.dataset && place.value === place.defaultValue;
const switches = () => [...form.elements].filter(({ name, type }) => name && type !== "hidden" && name !== "player");
const stateOf = (field) => (["radio", "checkbox"].includes(field.type) ? field.checked : field.value);
const nameOf = (field) => (field.type === "radio" ? `${field.name}=${field.value}` : field.name);

function keepForm() {
  const typed = "refused" in form.dataset || places().some((place) => place.value !== place.defaultValue);
  const players = typed ? places().map((place) => (isUntouched(place) ? null : place.value)) : [];
  keep(unsent, { players, switches: Object.fromEntries(switches().map((field) => [nameOf(field), stateOf(field)])) });
}

async function takeUp({ players, switches: chosen }) {
  const more = form.querySelector("[data-add-player]");
  while (places().length < players.length && !more.hidden) more.click();
  document.activeElement.blur(); // a new place asks for its name: nobody has tapped for it here
  if (players.length) places().forEach((place, index) => { place.value = index in players ? players[index] ?? place.value : ""; });
  mark();
  const preset = [...form.querySelectorAll("input[name=preset]")].find((each) => chosen[nameOf(each)]);
  if (preset && !preset.checked) {
    preset.checked = true;
    await fillIn(preset);
  }
  const changed = switches().filter((field) => nameOf(field) in chosen && chosen[nameOf(field)] !== stateOf(field));
  changed.forEach((field) => {
    if (["radio", "checkbox"].includes(field.type)) field.checked = chosen[nameOf(field)];
    else field.value = chosen[nameOf(field)];
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

forgetOthers("new game ", unsent);
const earlier = kept(unsent);
if (earlier) takeUp(earlier);
else if ("refused" in form.dataset) keepForm();
["input", "change", "click"].forEach((what) => form.addEventListener(what, keepForm));
form.addEventListener("submit", () => keep(unsent, null));
