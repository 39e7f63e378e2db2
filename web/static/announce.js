// Announcements for screen readers on a page that changes by itself. Each sentence is a line of its own in the live
// region, so a second one does not cut off the first, and a repeated sentence is read twice.

const KEPT_MS = 10_000; // long enough for a reader in the middle of another sentence; a removed line is not read

export function announce(sentence) {
  const line = document.createElement("p");
  line.textContent = sentence;
  document.getElementById("announcer").append(line);
  setTimeout(() => line.remove(), KEPT_MS);
}
