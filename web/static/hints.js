// Hints of the first game are shown once on this device: until somebody dismisses one, or the game goes on to another phase.

import { here } from "./talk.js";

const YEAR_S = 365 * 24 * 60 * 60;

const phase = (live) => live.querySelector("[data-hint]")?.dataset.hint;
const seen = () => /(?:^|; )hints=([^;]*)/.exec(document.cookie)?.[1].split(".") ?? [];

function keep(name) {
  if (!name || seen().includes(name)) return;
  document.cookie = `hints=${[...seen(), name].join(".")}; path=${here("/")}; max-age=${YEAR_S}; samesite=lax`;
}

export function startHints(live, refresh) {
  let shown = phase(live);
  live.addEventListener("shown", () => {
    const now = phase(live);
    if (now !== shown) keep(shown);
    shown = now;
  });
  live.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-hint-done]")) return;
    keep(shown);
    refresh();
  });
}
