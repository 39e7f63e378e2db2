// Photos of the table that a person takes: made smaller here where that is possible, then sent to be read.

import { askCorners } from "./photo_corners.js";
import { newId, toast, wait } from "./talk.js";
import { t } from "./words.js";

const MOST_PIXELS = 12_600_000; // more shows the readers nothing new, and takes longer on its way
const QUALITY = 0.92;
const KEPT_MS = 120_000; // how long a photo without an answer is sent again, always with the same id
const PATIENCE_MS = 60_000; // the table starts its reader for the first photo
const BREATH_MS = 1000;
const BUSY = 429; // other photos are received or read just now

// `seq()` is the newest entry that the page shows.
export function startPhotos(seq) {
  document.addEventListener("change", async (choice) => {
    const form = choice.target.closest("[data-photo]");
    const file = form && choice.target.files?.[0];
    if (!file) return;
    const label = form.querySelector(".tap");
    label.classList.add("busy");
    toast(t("The photo is being read…"), "plain");
    try {
      const answer = await read(form.dataset.photo, seq, await smaller(file));
      if (answer) toast(answer.remark ?? t("Photo read."), answer.remark ? "warn" : "good");
    } finally {
      label.classList.remove("busy");
      choice.target.value = ""; // the same file may be chosen again
    }
  });
}

// A board without a mat is read by its corners: the table asks for them where it cannot find them itself.
async function read(url, seq, photo) {
  const answer = await send(url, { seen_seq: seq() }, photo);
  if (answer?.wants !== "corners") return answer;
  const corners = await askCorners(photo, `corners ${url}`);
  if (!corners) return answer;
  toast(t("The photo is being read…"), "plain");
  return send(url, { seen_seq: seq(), corners: corners.flat().map((share) => share.toFixed(4)).join(",") }, photo);
}

async function send(url, more, body) {
  const query = new URLSearchParams({ event_id: newId(), ...more });
  const until = Date.now() + KEPT_MS;
  while (Date.now() < until) {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), PATIENCE_MS);
    try {
      const response = await fetch(`${url}${url.includes("?") ? "&" : "?"}${query}`, {
        method: "POST",
        headers: { "Content-Type": body.type || "application/octet-stream", "X-Requested-With": "companion" },
        body,
        signal: end.signal,
      });
      const answer = await response.json();
      if (response.ok) return answer;
      if (response.status === BUSY) {
        await wait(BREATH_MS);
        continue;
      }
      toast(answer.error);
      return null;
    } catch {
      await wait(BREATH_MS);
    } finally {
      clearTimeout(timer);
    }
  }
  toast(t("The table didn't answer. Take the photo again."));
  return null;
}

// The photo with at most so many pixels; as it is where it is small enough, or this browser cannot open it (HEIC, mostly).
export async function smaller(file, mostPixels = MOST_PIXELS) {
  try {
    const image = await createImageBitmap(file, { imageOrientation: "from-image" });
    const share = Math.sqrt(mostPixels / (image.width * image.height));
    if (share >= 1) return file;
    const canvas = document.createElement("canvas");
    canvas.width = Math.floor(image.width * share);
    canvas.height = Math.floor(image.height * share);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return (await new Promise((resolve) => { canvas.toBlob(resolve, "image/jpeg", QUALITY); })) ?? file;
  } catch {
    return file;
  }
}
