// A page's draft: what is chosen and not yet posted. It is stored with the entry at which it was chosen. A page that is
// loaded again restores it once the stream has shown that nothing it depends on has changed since. A correction starts
// again after any change.

import { keep, kept } from "./unsent.js";

export function openDraft(live, seq) {
  const fields = new Map(Object.entries(JSON.parse(live.dataset.draftBegun ?? "{}")));
  const unsent = `draft ${live.dataset.fragment} ${live.dataset.player}`;
  let earlier = kept(unsent); // the draft of this window before the page was loaded, and its entry: { seq, fields }

  function store() {
    if (!earlier) keep(unsent, fields.size ? { seq: seq(), fields: Object.fromEntries(fields) } : null);
  }

  function discard() {
    fields.clear();
    earlier = null;
    store();
  }

  function change(values) {
    Object.entries(values).forEach(([name, value]) => (value === "" ? fields.delete(name) : fields.set(name, value)));
    store();
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

  const since = () => (earlier ? Math.min(earlier.seq, seq()) : seq());

  return { fields, change, discard, storeAnew, begin, takeUp, since };
}
