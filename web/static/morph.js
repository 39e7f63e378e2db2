// Changes a part of the page into another one in place, so that focus, scrolling and opened details stay.
// Parts that a script draws itself (data-own) are left alone.
//
// idiomorph takes 1,464 lines, and also keeps a part that changes its place; here such a part is drawn anew.

const KEYS = ["id", "data-proposal", "data-path", "data-keep"];

function key(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
  const name = KEYS.find((attribute) => node.hasAttribute(attribute));
  return `${node.nodeName} ${name ? node.getAttribute(name) : ""}`;
}

function morphAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

export function morph(from, to) {
  const own = from.hasAttribute("data-own"); // before it takes over the attributes: what was the page's until now is not
  morphAttributes(from, to);
  if (!own || !from.hasAttribute("data-own")) morphChildren(from, to);
}

export function morphChildren(from, to) {
  let old = from.firstChild;
  for (const fresh of [...to.childNodes]) {
    if (old && key(old) !== key(fresh)) {
      let match = old.nextSibling;
      while (match && key(match) !== key(fresh)) match = match.nextSibling;
      if (match && match.nodeType === Node.ELEMENT_NODE) {
        while (old !== match) {
          const gone = old;
          old = old.nextSibling;
          gone.remove();
        }
      }
    }
    if (old && key(old) === key(fresh)) {
      if (old.nodeType === Node.ELEMENT_NODE) morph(old, fresh);
      else if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      old = old.nextSibling;
    } else {
      from.insertBefore(fresh, old);
      if (fresh.nodeType === Node.ELEMENT_NODE) fresh.classList.add("arrived"); // a style may let it move into its place
    }
  }
  while (old) {
    const gone = old;
    old = old.nextSibling;
    gone.remove();
  }
}
