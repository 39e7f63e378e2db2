// "How to play" opens over the page, which keeps what was chosen on it. Without scripts its link leads to a page.

import { toast } from "./talk.js";
import { t } from "./words.js";

export function startHowTo() {
  document.addEventListener("click", (click) => {
    const link = click.target.closest("a[data-how]");
    if (!link || click.button || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return;
    click.preventDefault();
    open(link.href);
  });
}

async function open(address) {
  let answer;
  let text;
  try {
    answer = await fetch(address);
    text = await answer.text();
  } catch {
    toast(t("The table can't be reached. Try again."));
    return;
  }
  const how = new DOMParser().parseFromString(text, "text/html").getElementById("how");
  if (!answer.ok || !how) location.assign(address); // it says itself what is wrong
  else show(document.adoptNode(how));
}

function show(how) {
  const dialog = document.createElement("dialog");
  dialog.className = "preview how-dialog";
  dialog.setAttribute("aria-label", how.getAttribute("aria-label"));
  dialog.append(how);
  dialog.addEventListener("click", (click) => {
    const close = click.target.closest("[data-how-close]");
    if (close) click.preventDefault();
    if (close || click.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // its first control, which has the focus now, is at its end
}
