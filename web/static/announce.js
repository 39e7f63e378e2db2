// What a screen reader says of a page that changes by itself. Each sentence is a line of its own in the live region: a
// second one that comes at once takes nothing from the first, and the same sentence twice is heard twice.

const KEPT_MS = 10_000; // a reader in the middle of another sentence still finds it; what goes is not read

export function announce(sentence) {
  const line = document.createElement("p");
  line.textContent = sentence;
  document.getElementById("announcer").append(line);
  setTimeout(() => line.remove(), KEPT_MS);
}
