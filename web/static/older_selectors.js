// Selectors that an older browser does not know: it drops the whole rule. Such rules are read from the style sheets' text,
// and entered once more with what it knows: `:has(…)` becomes an attribute that this script sets, `:focus-visible` `:focus`.

{
  const knows = (selector) => CSS.supports(`selector(${selector})`);
  const isLacking = !(knows(":has(a)") && knows(":focus-visible") && knows(":popover-open"));
  const inner = []; // what stands in each :has(…); its number is the attribute's

  function endOf(text, start) {
    let depth = 0;
    for (let at = start; at < text.length; at += 1) {
      if ("({".includes(text[at])) depth += 1;
      if (")}".includes(text[at])) depth -= 1;
      if (depth === 0) return at;
    }
    return text.length;
  }

  function translated(selector) {
    let text = selector.replace(/:focus-visible/g, ":focus").replace(/:popover-open/g, ".popover-open");
    for (let at = text.lastIndexOf(":has("); at >= 0; at = text.lastIndexOf(":has(")) {
      const end = endOf(text, at + 4);
      const what = text.slice(at + 5, end).trim();
      if (!inner.includes(what)) inner.push(what);
      text = `${text.slice(0, at)}[data-has-${inner.indexOf(what)}]${text.slice(end + 1)}`;
    }
    return text;
  }

  // The rules of a style sheet's text: [what stands before the brace, what stands in it].
  function rules(text) {
    const found = [];
    let from = 0;
    for (let brace = text.indexOf("{"); brace >= 0; brace = text.indexOf("{", from)) {
      const end = endOf(text, brace);
      found.push([text.slice(from, brace).trim(), text.slice(brace + 1, end)]);
      from = end + 1;
    }
    return found;
  }

  function renewed([before, body]) {
    const later = /:(has\(|focus-visible|popover-open)/;
    if (before.startsWith("@media")) {
      const inside = rules(body).map(renewed).filter(Boolean);
      return inside.length ? `${before} { ${inside.join(" ")} }` : "";
    }
    return later.test(before) && !before.startsWith("@") ? `${translated(before)} { ${body} }` : "";
  }

  // `at` counts the rules that the browser has kept, so that each new one comes where it stood.
  function enter(sheet, text) {
    let at = 0;
    rules(text.replace(/\/\*[^]*?\*\//g, "")).forEach((rule) => {
      const fresh = renewed(rule);
      const isKept = rule[0].startsWith("@") || !fresh;
      if (isKept) at += 1;
      if (!fresh) return;
      sheet.insertRule(fresh, Math.min(at, sheet.cssRules.length));
      at += 1;
    });
  }

  function fits(one, what) {
    const relation = "+~".includes(what[0]) ? what[0] : "";
    if (!relation) return Boolean(one.querySelector(what[0] === ">" ? `:scope ${what}` : what));
    const wanted = what.slice(1).trim();
    for (let next = one.nextElementSibling; next; next = relation === "~" ? next.nextElementSibling : null) {
      if (next.matches(wanted)) return true;
    }
    return false;
  }

  function mark() {
    inner.forEach((what, number) => {
      const name = `data-has-${number}`;
      const fitting = new Set();
      document.querySelectorAll(what.replace(/^[>+~]\s*/, "")).forEach((found) => {
        if ("+~".includes(what[0])) {
          for (let one = found.previousElementSibling; one; one = one.previousElementSibling) if (fits(one, what)) fitting.add(one);
        } else {
          for (let one = found.parentElement; one; one = one.parentElement) if (fits(one, what)) fitting.add(one);
        }
      });
      document.querySelectorAll(`[${name}]`).forEach((one) => { if (!fitting.has(one)) one.removeAttribute(name); });
      fitting.forEach((one) => one.setAttribute(name, ""));
    });
  }

  async function start() {
    for (const link of document.querySelectorAll("link[rel=stylesheet]")) {
      enter(link.sheet, await (await fetch(link.href)).text());
    }
    const watcher = new MutationObserver(again);
    const watch = () => watcher.observe(document.documentElement, { subtree: true, childList: true, attributes: true });
    function again() {
      watcher.disconnect(); // its own attributes are no news
      mark();
      watch();
    }
    again();
    ["change", "focusin", "focusout"].forEach((name) => document.addEventListener(name, again)); // :checked is no attribute
  }

  if (isLacking) addEventListener("load", start);
}
