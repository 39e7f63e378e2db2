// What Chrome 88 and Safari 14.1 lack and the pages use. This is no module, so that it runs before all of them.

if (!AbortSignal.timeout) {
  AbortSignal.timeout = (ms) => {
    const patience = new AbortController();
    setTimeout(() => patience.abort(), ms);
    return patience.signal;
  };
}

// Dialogs: modal as far as taps and the tab key go.
if (!(window.HTMLDialogElement && HTMLDialogElement.prototype.showModal)) {
  const close = (dialog) => {
    if (!dialog.hasAttribute("open")) return;
    dialog.removeAttribute("open");
    dialog.dispatchEvent(new Event("close"));
    if (dialog.cameFrom && dialog.cameFrom.isConnected) dialog.cameFrom.focus();
  };
  const focusable = (dialog) => [...dialog.querySelectorAll("button, a[href], input, select, [autofocus]")];
  HTMLElement.prototype.close = function closeByScript() { close(this); };
  HTMLElement.prototype.showModal = function showByScript() {
    this.cameFrom = document.activeElement;
    this.classList.add("by-script");
    this.setAttribute("role", "dialog");
    this.setAttribute("aria-modal", "true");
    this.setAttribute("open", "");
    const first = this.querySelector("[autofocus]") || focusable(this)[0];
    if (first) first.focus();
  };
  document.addEventListener("submit", (submit) => {
    if (submit.target.getAttribute("method") !== "dialog") return;
    submit.preventDefault();
    close(submit.target.closest("dialog"));
  });
  document.addEventListener("click", (click) => {
    const dialog = document.querySelector("dialog.by-script[open]");
    if (!dialog || dialog.contains(click.target) || !click.isTrusted || dialog.cameFrom === click.target.closest("button")) return;
    click.preventDefault(); // what lies below is not to be reached
    click.stopImmediatePropagation();
  }, true);
  document.addEventListener("keydown", (key) => {
    const dialog = document.querySelector("dialog.by-script[open]");
    if (!dialog) return;
    if (key.key === "Escape") close(dialog);
    if (key.key !== "Tab") return;
    const places = focusable(dialog);
    const at = places.indexOf(document.activeElement) + (key.shiftKey ? -1 : 1);
    key.preventDefault();
    places[(at + places.length) % places.length].focus();
  });
}

// A menu that a button opens.
if (!("popover" in HTMLElement.prototype)) {
  document.addEventListener("click", (click) => {
    const opener = click.target.closest("[popovertarget]");
    const menu = opener && document.getElementById(opener.getAttribute("popovertarget"));
    document.querySelectorAll(".popover-open").forEach((one) => {
      if (one !== menu && !one.contains(click.target)) one.classList.remove("popover-open");
    });
    if (menu) menu.classList.toggle("popover-open");
  });
}
