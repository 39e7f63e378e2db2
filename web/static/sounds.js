// What a device lets hear and feel, as its settings ask: tones, a hum in the hand, and the spoken headline. Clocks sound at instants of table
// time, so that all devices in a room sound together. Screen readers are told the time left in any case.

import { announce } from "./announce.js";
import { clocksAhead, nowUs } from "./clock.js";
import { choose, isChosen, wants } from "./device.js";
import { t, tn } from "./words.js";

const LOOK_MS = 200;
const AHEAD_US = 400_000; // sounds are scheduled so early that a busy page cannot delay them
const LATE_US = 1_000_000; // a late tone is wrong, a late sentence still helps
const LAST_S = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
const SPOKEN_S = [60, 30, 10, 0]; // of the time left

const TONES = {
  count: { hz: 520, seconds: 0.09 },
  go: { hz: 1040, seconds: 0.35 },
  tick: { hz: 780, seconds: 0.05 },
  end: { hz: 260, seconds: 0.7 },
  entry: { hz: 620, seconds: 0.06 },
  turn: { hz: 880, seconds: 0.12 },
};
const LOUDNESS = 0.12;
// what the offer of sounds does not lie over: that a game is over, that the house sleeps, a hint of the first game
const STANDS = ".standings, .notices .sleep, .notices.sleep, .notices > * [data-hint]";

let context = null;
const ordered = new Set();

// Browsers let sound begin within a tap only, and some say a moment later that it did.
export async function allow() {
  if (!wants("sound")) return;
  context ??= new AudioContext();
  if (context.state === "suspended") await context.resume();
}

export function sound(name, afterS = 0) {
  if (!wants("sound") || context?.state !== "running") return;
  const { hz, seconds } = TONES[name];
  const begin = context.currentTime + afterS;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: hz });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, begin);
  volume.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.008); // without a ramp it would click
  volume.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  tone.connect(volume).connect(context.destination);
  tone.start(begin);
  tone.stop(begin + seconds);
}

// A tap that counts, and the own turn, are felt where the device can: a phone lies in the hand. Browsers complain of a
// page that hums before its first tap.
export function hum(...ms) {
  if (wants("vibration") && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(ms);
}

export function say(sentence) {
  if (!wants("speech") || !sentence || !("speechSynthesis" in window)) return;
  speechSynthesis.cancel(); // what is new matters more than the rest of what was
  const spoken = new SpeechSynthesisUtterance(sentence);
  spoken.lang = document.documentElement.lang;
  speechSynthesis.speak(spoken);
}

function tell(sentence) {
  say(sentence);
  announce(sentence);
}

function left(seconds) {
  if (seconds === 0) return t("Time is up");
  if (seconds % 60 === 0) return tn("{n} minute left", "{n} minutes left", seconds / 60);
  return tn("{n} second left", "{n} seconds left", seconds);
}

// Every sound that the running clocks will make: when, and which.
function due({ fromUs, untilUs }) {
  const counted = [3, 2, 1].map((seconds) => ({ atUs: fromUs - seconds * 1_000_000, tone: "count" }));
  const last = LAST_S.map((seconds) => ({ atUs: untilUs - seconds * 1_000_000, tone: "tick" }));
  const spoken = SPOKEN_S.map((seconds) => ({ atUs: untilUs - seconds * 1_000_000, seconds }));
  return [...counted, { atUs: fromUs, tone: "go" }, ...last, { atUs: untilUs, tone: "end" }, ...spoken];
}

function look() {
  const now = nowUs();
  if (now === null || document.hidden) return;
  clocksAhead().flatMap(due).forEach(({ atUs, tone, seconds }) => {
    const name = `${atUs} ${tone ?? seconds}`;
    if (atUs < now - (tone ? 0 : LATE_US) || atUs > now + AHEAD_US || ordered.has(name)) return;
    ordered.add(name);
    if (tone) sound(tone, (atUs - now) / 1_000_000);
    else setTimeout(() => tell(left(seconds)), (atUs - now) / 1000);
  });
}

// Sounds are offered once, before the first race on this device: nobody looks for them in a menu. Never beside a clock
// that runs, which keeps its place.
function offer(live) {
  const offered = document.querySelector("[data-sound-offer]");
  if (!offered) return;
  let hasRaced = false; // then it stays away: a pause or the end of a round moves nothing
  const show = () => {
    hasRaced ||= clocksAhead().length > 0;
    offered.hidden = isChosen("sound") || hasRaced || Boolean(live.querySelector(STANDS));
    const line = live.querySelector(".line"); // over which it lies, if it has room there with large letters, too
    offered.classList.toggle("tall", !offered.hidden && Boolean(line) && offered.offsetHeight > line.offsetHeight);
  };
  new ResizeObserver(show).observe(offered); // its letters may grow
  offered.addEventListener("click", async ({ target }) => {
    const answer = target.closest("[data-sounds]");
    if (!answer) return;
    choose("sound", answer.dataset.sounds === "yes");
    show();
    await allow();
    sound("go");
  });
  live.addEventListener("shown", show);
  show();
}

// A headline that changed is somebody's turn; anything else that was recorded is a small sound.
export function startSounds(live) {
  document.addEventListener("click", allow);
  offer(live);
  setInterval(look, LOOK_MS);
  live.addEventListener("counted", () => hum(15));
  live.addEventListener("shown", ({ detail }) => {
    if (detail.announced) {
      sound("turn");
      if (live.dataset.player && live.querySelector(".headline.t-primary")) hum(60, 40, 60);
      say(detail.announced);
    } else if (detail.grown) sound("entry");
  });
}
