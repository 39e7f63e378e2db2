// Setting up: a preset fills in the house rules, and a change of one makes them the table's own. Names stay as typed.

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
  if (!change.target.closest("fieldset.option")) return;
  const preset = form.querySelector("input[name=preset]:checked");
  if (preset) preset.closest(".preset").classList.add("changed");
  form.querySelector("[data-switches]").textContent = t("changed by hand: the table's own");
});

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
