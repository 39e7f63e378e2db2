// A tap that comes before the scripts that understand it waits for them: on a slow tablet they are a moment later than
// the page, and the tap would be lost without a word. No module, so that it is there first.

{
  const early = new Set();
  const hold = (click) => {
    const tap = click.target.closest("button[type=button]:not([popovertarget])"); // the browser opens a popover itself
    if (!tap || !click.isTrusted) return; // a script that taps is there
    click.stopImmediatePropagation();
    early.add(tap);
  };
  document.addEventListener("click", hold, true);
  document.addEventListener("DOMContentLoaded", () => {
    document.removeEventListener("click", hold, true);
    for (const tap of early) if (tap.isConnected) tap.click();
  });
}
