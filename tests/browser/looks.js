// What a page must be for fingers and eyes, measured in the browser. Evaluated by sound.py.
(least) => {
  const TAPPABLE = "a[href], button, select, summary, textarea, input:not([type=hidden]), label:has(input)";
  const CROWDED = 44;
  const visible = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const named = (node) => `${node.tagName.toLowerCase()}.${node.className} “${(node.getAttribute("aria-label") || node.textContent || node.name || "").trim().slice(0, 30)}”`;
  const inSentence = (node) => node.matches("a") && getComputedStyle(node).display === "inline";
  const small = [...document.querySelectorAll(TAPPABLE)].filter((node) => {
    if (!visible(node) || getComputedStyle(node).pointerEvents === "none" || node.matches(".skip, .skip *, [aria-hidden=true]")) return false;
    if (node.matches("input") && node.closest("label")) return false; // its label is what is tapped
    if (inSentence(node)) return false; // WCAG 2.5.8: inline
    const { width, height } = node.getBoundingClientRect();
    if (node.matches(".cell-tap") && width < CROWDED) return false; // the first tap comes nearer; see magnify.js
    return width > 0 && (width < least - 0.5 || height < least - 0.5);
  }).map((node) => `${Math.round(node.getBoundingClientRect().width)}×${Math.round(node.getBoundingClientRect().height)} ${named(node)}`);
  const wide = [...document.body.querySelectorAll("*")].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.right > innerWidth + 1 && box.width > 0 && !node.closest("[data-scrolls]");
  }).map(named);
  const sideways = document.documentElement.scrollWidth - innerWidth;
  return { small, sideways, wide: sideways > 0 ? wide.slice(0, 4) : [] };
}
