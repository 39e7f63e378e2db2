// Requests to the table: every tap has an id of its own, so sending it again can never count twice.

import { t } from "./words.js";

const KEPT_MS = 20_000; // how long a request without an answer is sent again
const PATIENCE_MS = 5000; // a slow Pi answers within one second; after this the connection is dead
const BREATH_MS = 600;
const ROOT = new URL("../..", import.meta.url).pathname; // above static/VERSION/

let toastTimer = 0;

// An address of the table, below the path at which a proxy may serve it; the scripts' own address tells that path.
export function here(path) {
  return ROOT + path.slice(1);
}

// The address with this page's ticket, if it has one in its own: in a frame of another site no cookie comes along.
export function withTicket(address) {
  const ticket = new URLSearchParams(location.search).get("ticket");
  return ticket ? `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ ticket })}` : address;
}

export function toast(sentence, tone = "warn") {
  const place = document.getElementById("toast");
  place.togglePopover?.(false); // shown anew it lies on top of a dialog that was opened since; older browsers have no popovers
  place.togglePopover?.(true);
  place.textContent = sentence;
  place.className = `shown t-${tone}`;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    place.className = "";
    place.togglePopover?.(false);
  }, 3000 + 60 * sentence.length);
}

// crypto.randomUUID exists only on https and localhost; a tablet in the living room has neither.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function wait(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

// The answer, or null after the sentence of a refusal was shown. A lost request is sent again with the same body, so
// whether the table had heard it or not, it counts once. `refused` shows the sentence where a toast would hide something.
export async function post(url, body = {}, refused = toast) {
  const until = Date.now() + KEPT_MS;
  for (let attempt = 1; Date.now() < until; attempt += 1) {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Requested-With": "companion" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (response.ok) return response;
      refused((await response.json()).error);
      return null;
    } catch {
      if (attempt === 1) toast(t("No answer from the table yet. Your tap is kept and sent again."));
      await wait(BREATH_MS);
    }
  }
  toast(t("The table didn't answer. When it's back, check the sheet and tap again if needed."));
  return null;
}
