// What every page has: the look, and where there is one, the live part.

import { startChime } from "./chime.js";
import { startClocks } from "./clock.js";
import { startDevice } from "./device.js";
import { startHowTo } from "./how_to.js";
import { startLast } from "./last.js";
import { startLive } from "./live.js";
import { startMagnifier } from "./magnify.js";
import { startPhotos } from "./photo.js";
import { startPictureChoices } from "./picture_choice.js";
import { startClips } from "./clips.js";
import { allow, hum, say, sound, startSounds } from "./sounds.js";
import { here } from "./talk.js";
import { look, startWake } from "./wake.js";
import { t } from "./words.js";

const YEAR_S = 31_536_000;

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

document.querySelector("[data-theme-switch]").addEventListener("click", () => {
  const theme = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=${here("/")}; max-age=${YEAR_S}; samesite=lax`;
});

document.querySelector("[data-languages]")?.addEventListener("change", (choice) => {
  document.cookie = `language=${choice.target.value}; path=${here("/")}; max-age=${YEAR_S}; samesite=lax`;
  location.reload();
});

startClips();
const live = document.getElementById("live");
if (live) {
  startLive(live);
  startClocks();
  startMagnifier();
  startPictureChoices(live);
  startLast(live);
}
if (live?.dataset.session) {
  startPhotos(() => Number(live.querySelector("[data-seq]").dataset.seq));
  startSounds(live);
  startWake(() => !live.querySelector(".standings"));
}

startHowTo();
startChime(live);

startDevice(async (choice, wanted) => {
  look();
  await allow();
  if (wanted && choice === "sound") sound("turn");
  if (wanted && choice === "vibration") hum(60);
  if (wanted && choice === "speech") say(t("I say whose turn it is."));
});

// browsers have it on https and localhost only
navigator.serviceWorker?.register(here("/worker.js"));

const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}

// setting up: more places than the page began with
const players = document.querySelector("[data-most]");
const add = document.querySelector("[data-add-player]");
if (players && add) {
  const list = players.querySelector("ol");
  const most = Number(players.dataset.most);
  add.hidden = list.children.length >= most;
  add.addEventListener("click", () => {
    const place = list.lastElementChild.cloneNode(true);
    const number = list.children.length + 1;
    place.querySelector(".seat").textContent = String(number);
    place.querySelector(".unseen").textContent = t("Player {number}", { number });
    place.querySelector("input").value = "";
    list.append(place);
    place.querySelector("input").focus();
    add.hidden = number >= most;
  });
  list.addEventListener("focusin", (focus) => focus.target.select?.());
}

document.documentElement.dataset.ready = ""; // else the page says that its scripts do not run (unready.html)
