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
