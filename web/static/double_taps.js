// The second tap of a double tap may hit another button: the first one has changed the page, or its choice has brought
// up the button that enters it.

import { toast } from "./talk.js";
import { t } from "./words.js";

const DOUBLE_TAP_MS = 400; // longer, and quick taps from one answer to the next would be refused
const DOUBLE_TAP_PX = 30;

let tappedBefore = null; // the last tap: its time, place and meaning, and whether it posted something

function meaning(tap) {
  const { undo, ...rest } = tap.dataset; // the number of what comes back changes with each tap
  return JSON.stringify([tap.closest("[data-proposal]")?.dataset.proposal, undo === undefined ? rest : tap.id]);
}

export function enters({ dataset }) {
  const { event, undo, roll, post: plain, value, agree: yes, instead, preview: correction } = dataset;
  return [event, undo, roll, plain, value, yes, instead, correction].some((each) => each !== undefined);
}

function wasMeantForAnother(click, tap) {
  const byFinger = click.detail > 0; // 0 for a key, whose click has no place
  if (!byFinger || !tappedBefore || click.timeStamp - tappedBefore.at > DOUBLE_TAP_MS) return false;
  const away = Math.hypot(click.clientX - tappedBefore.x, click.clientY - tappedBefore.y);
  return away < DOUBLE_TAP_PX && (tappedBefore.entered || enters(tap)) && tappedBefore.meaning !== meaning(tap);
}

export function warnedOfAnother(click, tap) {
  if (!wasMeantForAnother(click, tap)) return false;
  warnOfAnother();
  return true;
}

export function warnOfAnother() {
  toast(t("The page just changed. Tap again to confirm."));
}

export function remember(click, tap) {
  tappedBefore = { at: click.timeStamp, x: click.clientX, y: click.clientY, meaning: meaning(tap), entered: enters(tap) };
}
