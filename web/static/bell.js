// The staff's page rings once for each table that begins to call, and says how many do in its title.

const HZ = [1047, 784];
const NOTE_S = 0.4;
const LOUDNESS = 0.2;

let context = null;
let calling = new Set();
let title = "";

// Browsers let sound begin after a tap only: any tap on the page will do.
export function hearTaps() {
  document.addEventListener("click", () => {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
  });
}

function ring() {
  if (context?.state !== "running") return;
  HZ.forEach((hz, number) => {
    const begin = context.currentTime + number * NOTE_S;
    const tone = new OscillatorNode(context, { type: "triangle", frequency: hz });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, begin);
    volume.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.008); // without a ramp it would click
    volume.gain.exponentialRampToValueAtTime(0.001, begin + NOTE_S);
    tone.connect(volume).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + NOTE_S);
  });
}

export function ringFor(hall) {
  const now = new Set([...hall.querySelectorAll("[data-call]")].map((line) => line.dataset.call));
  if ([...now].some((table) => !calling.has(table))) ring();
  calling = now;
  title ||= document.title;
  document.title = now.size ? `(${now.size}) ${title}` : title;
}
