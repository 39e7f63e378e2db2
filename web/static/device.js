// The settings of this device: sounds, vibration, speech, keeping its screen on. Only the device knows them.

const DEFAULTS = { sound: false, vibration: true, speech: false, awake: true };

export function wants(name) {
  try {
    const kept = localStorage.getItem(`device-${name}`);
    return kept === null ? DEFAULTS[name] : kept === "yes";
  } catch {
    return DEFAULTS[name]; // a browser that keeps nothing
  }
}

// Whether somebody has said what this device shall do. A browser that keeps nothing is not asked on every page.
export function isChosen(name) {
  try {
    return localStorage.getItem(`device-${name}`) !== null;
  } catch {
    return true;
  }
}

export function choose(name, wanted) {
  keep(name, wanted);
  const choice = document.querySelector(`[data-device="${name}"]`);
  if (choice) choice.checked = wanted;
}

function keep(name, wanted) {
  try {
    localStorage.setItem(`device-${name}`, wanted ? "yes" : "no");
  } catch {
    // then the choice holds for this page only
  }
}

// changed(name, wanted) is called inside the tap: browsers let sound and speech begin only there.
export function startDevice(changed) {
  const dialog = document.getElementById("device");
  const open = document.querySelector("[data-device-open]");
  if (!dialog || !open) return;
  dialog.querySelectorAll("[data-device]").forEach((choice) => {
    choice.closest("label").hidden = choice.dataset.device === "vibration" && !navigator.vibrate;
    choice.checked = wants(choice.dataset.device);
    choice.addEventListener("change", () => {
      keep(choice.dataset.device, choice.checked);
      changed(choice.dataset.device, choice.checked);
    });
  });
  open.hidden = false;
  open.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (click) => { if (click.target === dialog) dialog.close(); });
}
