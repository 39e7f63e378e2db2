// What came after the oldest browsers that the pages promise to work in, by MDN's data.

import { createRequire } from "node:module";

export const data = createRequire(import.meta.url)("@mdn/browser-compat-data");

const OLDEST = { chrome: "88", chrome_android: "88", safari: "14.1", safari_ios: "14.5" };

const number = (version) => {
  const [major, minor = "0"] = String(version).replace("≤", "").split(".");
  return Number(major) * 1000 + Number(minor); // NaN for "preview"
};

function has(statements, oldest) {
  return [statements].flat().some((one) => one && !one.flags && !one.prefix && !one.alternative_name
    && typeof one.version_added === "string" && number(one.version_added) <= number(oldest)
    && !(typeof one.version_removed === "string" && number(one.version_removed) <= number(oldest)));
}

// Whether one of the oldest browsers lacks what a node of the data describes.
export function isNewer(node) {
  const support = node?.__compat?.support;
  return Boolean(support) && Object.entries(OLDEST).some(([browser, version]) => support[browser] && !has(support[browser], version));
}

const isInChrome = (node) => [node.__compat?.support.chrome].flat().some((one) => typeof one?.version_added === "string");
const parts = (node) => Object.entries(node).filter(([name]) => name !== "__compat");

const globals = new Set(); // names that are newer
const olderGlobals = new Set();
const owned = new Map(); // global → its own functions and values that are newer
const members = new Set(); // names that an instance of something has, and that are newer
const olderMembers = new Set();
const absent = []; // [owner, name] of all members that are newer and that a Chromium of today has

const namespaces = /^(Atomics|CSS|Intl|JSON|Math|Reflect|WebAssembly)$/;
const isOwn = (owner, name) => name.endsWith("_static") || namespaces.test(owner)
  || (owner in data.javascript.builtins && Object.hasOwn(Object(globalThis[owner]), name));

for (const [owner, node] of [...parts(data.api), ...parts(data.javascript.builtins)]) {
  if (!node.__compat) continue;
  (isNewer(node) ? globals : olderGlobals).add(owner);
  for (const [name, part] of parts(node)) {
    if (!part.__compat || !/^\w+$/.test(name) || name.endsWith("_event") || name === owner) continue;
    const plain = name.replace(/_static$/, "");
    if (owner === "Window") (isNewer(part) ? globals : olderGlobals).add(name);
    else if (!isNewer(part)) (isOwn(owner, name) ? new Set() : olderMembers).add(plain);
    else {
      if (isOwn(owner, name)) owned.set(owner, (owned.get(owner) ?? new Set()).add(plain));
      else members.add(plain);
      if (isInChrome(part)) absent.push([owner, plain]);
    }
  }
}
olderGlobals.forEach((name) => globals.delete(name));
olderMembers.forEach((name) => members.delete(name));

export { globals, owned, members };

// What a test takes away from a Chromium of today: owner → its members; the globals under "".
export const newer = { "": [...globals].filter((name) => isInChrome(data.api[name] ?? data.api.Window[name] ?? data.javascript.builtins[name])).sort() };
for (const [owner, name] of absent.sort()) if (!globals.has(owner)) (newer[owner] ??= []).push(name);
