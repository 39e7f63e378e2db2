// Holds taps until the page's scripts are loaded: on a slow tablet they come after the page, and a tap would be lost.
// This is no module, so that it runs first.

{
  const early = [];
  const hold = (click) => {
    const tap = click.target.closest("button[type=button]:not([popovertarget])"); // the browser opens a popover itself
    if (!tap || !click.isTrusted) return; // a script that taps is there
    click.stopImmediatePropagation();
    early.push(tap);
  };
  document.addEventListener("click", hold, true);
  document.addEventListener("DOMContentLoaded", () => {
    document.removeEventListener("click", hold, true);
    document.documentElement.classList.toggle("scripts-failed", !("ready" in document.documentElement.dataset)); // modules have run by now
    for (const tap of early) if (tap.isConnected) tap.click();
  });
}
