// Forms on a page that follows: what was chosen or typed stays while the page around it changes. A form with data-follow
// is sent without leaving the page; a refusal is said above, and loses nothing. With data-shows the answer is a page, of
// which the part with that id is shown here.

import { t } from "./words.js";

const said = document.getElementById("said");
const touched = new Set();
let tapped = null; // Safari before 15.4 does not say in the event by which button a form is sent.

// Notes what is in the fields that a finger has changed; the function that it returns puts that back.
export function holdFields() {
  const fields = [...touched].filter((field) => field.isConnected);
  touched.clear();
  fields.forEach((field) => touched.add(field));
  const held = fields.map((field) => [field, field.value]);
  return () => held.forEach(([field, value]) => {
    if (field.isConnected && field.value !== value) field.value = value;
  });
}

function say(sentence) {
  said.textContent = sentence;
  said.hidden = !sentence;
}

// What a form says, with the button by which it is sent.
function saidBy(form) {
  const body = new FormData(form);
  if (tapped && tapped.form === form && tapped.name) body.append(tapped.name, tapped.value);
  return body;
}

function show(id, page) {
  const part = new DOMParser().parseFromString(page, "text/html").getElementById(id);
  document.getElementById(id).replaceChildren(...part.childNodes);
}

async function send(form) {
  try {
    const answer = await fetch(form.action, {
      method: "POST", body: saidBy(form), headers: { Accept: "application/json" },
    });
    if (answer.ok) {
      if (form.dataset.shows) show(form.dataset.shows, await answer.text());
      form.querySelectorAll("input, select, textarea").forEach((field) => touched.delete(field));
      form.reset();
      form.closest("details")?.removeAttribute("open");
      return "";
    }
    return (await answer.json()).error;
  } catch {
    return t("The hub doesn't answer. Tap again.");
  }
}

export function followForms(hall, renew) {
  hall.addEventListener("input", (event) => {
    if (event.target.form?.method === "post" && event.target.type !== "file") touched.add(event.target);
  });
  hall.addEventListener("click", (event) => { tapped = event.target.closest("button"); });
  hall.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-follow]")) return;
    event.preventDefault();
    if (form.dataset.sent !== undefined) return; // a second tap
    form.dataset.sent = "";
    say(await send(form));
    delete form.dataset.sent;
    await renew();
  });
}
