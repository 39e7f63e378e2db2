// Makes this phone a camera of the table: asks the host, then sends one picture at a time, the next once the table has
// taken the last. While nothing moves it sends few of them, as battery and heat matter on a stand.

import { wait } from "./talk.js";
import { look, startWake } from "./wake.js";
import { t } from "./words.js";

const LONG_PX = 1280; // the longer side of what is watched
const FULL_PX = { width: { ideal: 1920 }, height: { ideal: 1080 } }; // of what is read; more heats the phone
const QUALITY = 0.8;
const FULL_QUALITY = 0.92;
const LOOK_MS = 80; // between two looks of the page itself
const STILL_MS = 500; // between two pictures while nothing moves: the table counts 2.5 s without one as gone
const LIVELY_MS = 6000; // after the last move; the table waits until all has lain still for a while
const ASK_MS = 1500;
const PATIENCE_MS = 4000; // for an answer: the table gives one within a second
const BREATH_MS = 500; // after a lost connection
const SMALL = { width: 64, height: 36 }; // in which the page looks for moves
const CHANGED = 14; // levels of 256: more than the noise of a dim room
const LEAST_PIXELS = 4;
const FORBIDDEN = 403;

const root = document.querySelector("[data-phone-camera]");
const video = root?.querySelector("video");
const said = root?.querySelector("[data-said]");
const end = root?.querySelector("[data-end]");
let running = null; // the button of the place that this phone looks at

function tell(sentence, tone = "plain") {
  said.textContent = sentence;
  said.className = `notice t-${tone}`;
  said.hidden = !sentence;
}

async function send(url, body, type) {
  const give_up = new AbortController();
  const timer = setTimeout(() => give_up.abort(), PATIENCE_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": type, "X-Requested-With": "companion" },
      body,
      signal: give_up.signal,
    });
    return { status: response.status, ok: response.ok, ...(await response.json()) };
  } finally {
    clearTimeout(timer);
  }
}

async function openCamera() {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: "environment", frameRate: { ideal: 15 }, ...FULL_PX },
  });
  if (!running) { // stopped while the browser asked
    stream.getTracks().forEach((track) => track.stop());
    return;
  }
  video.srcObject = stream;
  video.hidden = false;
  await video.play();
}

// a phone that locks may take its camera from the page, which then opens it again
const isOpen = () => video.srcObject?.getVideoTracks()[0].readyState === "live";

function drawn(canvas, width, height) {
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d", { willReadFrequently: canvas === small });
  pen.drawImage(video, 0, 0, width, height);
  return pen;
}

const small = document.createElement("canvas");
const large = document.createElement("canvas");
let before = null;

// whether something moves, by a small picture of what the phone sees
function moves() {
  const now = drawn(small, SMALL.width, SMALL.height).getImageData(0, 0, SMALL.width, SMALL.height).data;
  let changed = 0;
  for (let at = 1; before && at < now.length; at += 4) if (Math.abs(now[at] - before[at]) > CHANGED) changed += 1;
  before = now;
  return changed >= LEAST_PIXELS;
}

function picture(full) {
  const share = full ? 1 : Math.min(1, LONG_PX / Math.max(video.videoWidth, video.videoHeight));
  drawn(large, Math.round(video.videoWidth * share), Math.round(video.videoHeight * share));
  return new Promise((resolve) => { large.toBlob(resolve, "image/jpeg", full ? FULL_QUALITY : QUALITY); });
}

async function allowed(place) {
  while (running === place) {
    try {
      const answer = await send(place.dataset.ask, "{}", "application/json");
      if (answer.ok && answer.allowed) return true;
      tell(answer.ok ? t("The host has to allow this phone. Ask them to tap Allow on their screen.") : answer.error, answer.ok ? "plain" : "warn");
    } catch {
      tell(t("The table doesn't answer. This phone keeps trying."), "warn");
    }
    await wait(ASK_MS);
  }
  return false;
}

async function sendPictures(place) {
  let lively = performance.now() + LIVELY_MS;
  let last = -Infinity;
  let full = false;
  while (running === place) {
    const now = performance.now();
    if (!isOpen()) {
      try {
        await openCamera();
      } catch {
        await wait(ASK_MS); // while the screen is locked, mostly
      }
      continue;
    }
    if (moves()) lively = now + LIVELY_MS;
    if (!full && now >= lively && now - last < STILL_MS) {
      await wait(LOOK_MS);
      continue;
    }
    last = now;
    try {
      const content = await picture(full);
      const answer = await send(place.dataset.picture + (full ? "?full=1" : ""), content, "image/jpeg");
      if (answer.status === FORBIDDEN) return answer.error;
      full = answer.ok && answer.full;
      if (answer.ok) tell(t("This phone is the camera."), "good");
      else tell(answer.error, "warn");
    } catch {
      tell(t("The table doesn't answer. This phone keeps trying."), "warn");
      await wait(BREATH_MS);
    }
    const left = LOOK_MS - (performance.now() - now);
    if (left > 0 && !full) await wait(left);
  }
  return "";
}

function show(place) {
  running = place;
  end.hidden = !place;
  root.querySelectorAll("[data-begin]").forEach((button) => { button.hidden = Boolean(place); });
  look();
}

function stop(sentence = "") {
  show(null);
  before = null;
  video.srcObject?.getTracks().forEach((track) => track.stop());
  video.srcObject = null;
  video.hidden = true;
  tell(sentence, "warn");
}

async function begin(place) {
  if (!navigator.mediaDevices?.getUserMedia) {
    tell(t("This browser gives no page its camera. Open this page in Chrome or Safari, with https."), "warn");
    return;
  }
  show(place);
  tell(t("Allow this page to use the camera."));
  try {
    await openCamera();
  } catch {
    stop(t("This page may not use the camera. Allow it in the browser's settings, then tap the button again."));
    return;
  }
  if (!(await allowed(place))) return;
  const refusal = await sendPictures(place);
  if (refusal && running === place) stop(refusal);
}

if (root) {
  startWake(() => Boolean(running));
  root.addEventListener("click", (click) => {
    const place = click.target.closest("[data-begin]");
    if (place) begin(place);
    if (click.target.closest("[data-end]")) {
      const left = running;
      stop();
      send(left.dataset.leave, "{}", "application/json").catch(() => {}); // a table that does not answer has no pictures anyway
    }
  });
}
