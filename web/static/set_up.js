// Setting up: a preset fills in the house rules, and a change of one makes them the table's own. Names stay as typed.

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
  form.querySelector("[data-switches]").textContent = "changed by hand: the table's own";
});

// entrants: a tap sits a name down at the first place that is empty or holds nobody of the list, another takes it back
const list = form.querySelector(".entrant-list");
const places = () => [...form.querySelectorAll("input[name=player]")];

function mark() {
  const seated = places().map((place) => place.value);
  list.querySelectorAll("[data-entrant]").forEach((tap) => {
    tap.setAttribute("aria-pressed", String(seated.includes(tap.dataset.entrant)));
  });
}

if (list) {
  const known = new Set([...list.querySelectorAll("[data-entrant]")].map((tap) => tap.dataset.entrant));
  list.hidden = false;
  list.addEventListener("click", (click) => {
    const name = click.target.closest("[data-entrant]")?.dataset.entrant;
    if (name === undefined) return;
    const seat = places().find((place) => place.value === name);
    const free = places().find((place) => !known.has(place.value));
    if (seat) seat.value = "";
    else if (free) free.value = name;
    mark();
  });
  mark();
}
