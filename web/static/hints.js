// Hints of the first game are shown once on this device: until somebody dismisses one, or the game goes on to another
// phase. One that lies behind another notice has not been shown.

import { here } from "./talk.js";

const YEAR_S = 365 * 24 * 60 * 60;

const hint = (live) => live.querySelector("[data-hint]");
const seen = () => /(?:^|; )hints=([^;]*)/.exec(document.cookie)?.[1].split(".") ?? [];

function keep(name) {
  if (!name || seen().includes(name)) return;
  document.cookie = `hints=${[...seen(), name].join(".")}; path=${here("/")}; max-age=${YEAR_S}; samesite=lax`;
}

export function startHints(live, refresh) {
  let shown; // the phase whose hint was in view

  function look() {
    const phase = hint(live)?.dataset.hint;
    if (phase === shown) return;
    keep(shown);
    shown = hint(live)?.closest("summary, p.notices") ? phase : undefined;
  }

  look();
  live.addEventListener("shown", look);
  live.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-hint-done]")) return;
    keep(hint(live)?.dataset.hint);
    refresh();
  });
}
