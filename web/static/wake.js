// Keeps the screen on while a game runs and is looked at, from the first tap on.
//
// navigator.wakeLock exists only on https and localhost. Elsewhere a playing video keeps a screen on, each engine with
// conditions of its own: Blink wants it in sight and large or live, Gecko live or with sound, WebKit with sound, not
// muted and not looping. A live picture of one square with a silent track is all of that, and no file.

import { wants } from "./device.js";

const REDRAW_MS = 1000; // a live picture without new frames counts as standing still

let lock = null;
let video = null;
let tapped = false;
let running = () => false;

const needed = () => tapped && wants("awake") && running() && !document.hidden;

function livePicture() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 2;
  const pen = canvas.getContext("2d");
  let shade = 0;
  const redraw = () => {
    shade = 1 - shade;
    pen.fillStyle = shade ? "#000" : "#010101";
    pen.fillRect(0, 0, 2, 2);
  };
  redraw();
  setInterval(redraw, REDRAW_MS);
  const stream = canvas.captureStream();
  new AudioContext().createMediaStreamDestination().stream.getAudioTracks().forEach((track) => stream.addTrack(track));
  return stream;
}

function silentVideo() {
  const made = document.createElement("video");
  made.className = "wake-video";
  made.setAttribute("playsinline", "");
  made.setAttribute("aria-hidden", "true");
  // unmuted only where muting spoils it: elsewhere it would pause the music that plays in the room
  made.muted = !CSS.supports("-webkit-touch-callout", "none");
  made.srcObject = livePicture();
  document.body.append(made);
  return made;
}

async function keepOn() {
  try {
    if (navigator.wakeLock) {
      lock ??= await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } else {
      video ??= silentVideo();
      await video.play();
    }
    document.body.dataset.awake = navigator.wakeLock ? "lock" : "video";
  } catch {
    delete document.body.dataset.awake; // refused, on a low battery say: the next tap asks again
  }
}

function letGo() {
  lock?.release();
  video?.pause();
  delete document.body.dataset.awake;
}

export function look() {
  if (!needed()) letGo();
  else if (!document.body.dataset.awake || (navigator.wakeLock && !lock)) keepOn();
}

// isRunning() tells whether a game goes on here; a screen that nobody touches waits for no tap
export function startWake(isRunning, untouched = false) {
  running = isRunning;
  tapped = untouched;
  if (untouched) look();
  document.addEventListener("click", () => {
    tapped = true;
    look();
  });
  document.addEventListener("visibilitychange", look);
}
