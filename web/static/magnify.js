// Boards with squares too small for a finger: the first tap zooms in, the next one chooses a square.

const FINGER_PX = 44;

export function startMagnifier() {
  const near = (now) => document.body.classList.toggle("near", now);

  document.addEventListener("click", (click) => {
    const cell = click.target.closest("#live .cell-tap");
    if (click.target.closest("[data-whole], #live [data-event]:not(.cell-tap)")) near(false);
    const byFinger = click.detail > 0; // keys and screen readers name a square without having to hit it
    if (!cell || !byFinger || cell.getBoundingClientRect().width >= FINGER_PX) return;
    click.stopPropagation();
    near(true);
    cell.scrollIntoView({ block: "nearest", inline: "center" });
  }, true);
}
