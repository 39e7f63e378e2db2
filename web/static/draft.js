// A page's draft: what is chosen and not yet posted. It is stored with the entry at which it was chosen. A page that is
// loaded again restores it once the stream has shown that nothing it depends on has changed since. A correction starts
// again after any change.

import { keep, kept } from "./unsent.js";

const LONGEST = 300; // letters of one field; the table takes some more

const namesOf = (sets) => Object.keys(sets).sort().join();
const wordsIn = (text) => (text ? text.split(",") : []);

export function openDraft(live, seq) {
  const fields = new Map(Object.entries(JSON.parse(live.dataset.draftBegun ?? "{}")));
  const unsent = `draft ${live.dataset.fragment} ${live.dataset.player}`;
  const fresh = new Set(); // the fields of each choice that the page does not show yet
  let drawn = new Map(fields); // as the page shows it
  let seenSeq = 0; // the entry that the page showed at the last choice
  let earlier = kept(unsent); // the draft of this window before the page was loaded, and its entry: { seq, fields }

  function store() {
    if (!earlier) keep(unsent, fields.size ? { seq: seq(), fields: Object.fromEntries(fields) } : null);
  }

  function discard() {
    fields.clear();
    earlier = null;
    store();
  }

  // Sets fields, and adds a word to each of others. Returns false if one has no room for it: then nothing changes.
  function change(sets, adds) {
    const grown = Object.entries(adds).map(([name, word]) => [name, [...wordsIn(fields.get(name)), word].join(",")]);
    if (grown.some(([, text]) => text.length > LONGEST)) return false;
    [...Object.entries(sets), ...grown].forEach(([name, value]) => {
      if (value === "") fields.delete(name);
      else fields.set(name, value);
    });
    if (Object.keys(adds).length === 0) fresh.add(namesOf(sets));
    seenSeq = seq();
    store();
    return true;
  }

  function storeAnew() { // with the new entry: the draft fits it, too
    if (kept(unsent) && !live.dataset.corrects) store();
  }

  function begin() {
    if (earlier && live.dataset.corrects && earlier.seq !== seq()) earlier = null;
    if (earlier) earlier.until = seq();
    return takeUp(earlier?.seq);
  }

  // returns whether the earlier draft was restored
  function takeUp(heardSeq) {
    if (!earlier || heardSeq < earlier.until) return false;
    if (live.dataset.corrects) fields.clear(); // the stored draft replaces the fields of the corrected entry
    Object.entries(earlier.fields).forEach(([name, value]) => { if (!fields.has(name)) fields.set(name, value); });
    earlier = null;
    store();
    return true;
  }

  // What was chosen since the page was drawn shows at once: which of several it is, and how often one was added.
  function show() {
    live.querySelectorAll("[data-draft]").forEach((tap) => {
      const sets = JSON.parse(tap.dataset.draft);
      if (tap.dataset.adds) count(tap, added(JSON.parse(tap.dataset.adds)));
      else if (fresh.has(namesOf(sets))) {
        const isChosen = Object.entries(sets).every(([name, value]) => (fields.get(name) ?? "") === value);
        tap.setAttribute("aria-pressed", String(isChosen));
      }
    });
  }

  function added(adds) {
    return Math.max(0, ...Object.entries(adds).map(([name, word]) => {
      const [before, now] = [drawn.get(name) ?? "", fields.get(name) ?? ""];
      const since = now.startsWith(before) ? now.slice(before.length) : now;
      return wordsIn(since).filter((each) => each === word).length;
    }));
  }

  function count(tap, times) {
    let shown = tap.querySelector(".tap-due");
    if (!times) {
      if (shown) shown.remove();
      return;
    }
    if (!shown) {
      shown = Object.assign(document.createElement("b"), { className: "tap-due" });
      tap.append(shown);
    }
    shown.textContent = `×${times}`;
  }

  // the page shows these fields now
  function wasDrawn(shown) {
    drawn = shown;
    if (isShown()) fresh.clear();
    show();
  }

  const isShown = () => drawn.size === fields.size && [...fields].every(([name, value]) => drawn.get(name) === value);
  const since = () => (earlier ? Math.min(earlier.seq, seq()) : seq());
  const isOlderThan = (heardSeq) => Boolean(earlier) || (fields.size > 0 && seenSeq < heardSeq);

  return { fields, change, discard, storeAnew, begin, takeUp, since, show, wasDrawn, isShown, isOlderThan };
}
