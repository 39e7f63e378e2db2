// What happened last, on a phone: it comes over the header after each entry, with Undo beside it, and goes by itself, at
// once for who has won. A button of the bar brings it back, which says it itself where there is no main button. Wider
// pages have it in their bar all the time.

const SHOWN_MS = 6000;

export function startLast(live) {
  let timer = 0;

  function show(isShown) {
    clearTimeout(timer);
    live.classList.toggle("fresh", isShown);
    if (isShown) timer = setTimeout(show, SHOWN_MS, false);
  }

  live.addEventListener("shown", ({ detail }) => { if (detail.grown) show(!live.querySelector(".winner-line")); });
  live.addEventListener("click", (click) => {
    if (click.target.closest("[data-last]")) show(!live.classList.contains("fresh"));
  });
}
