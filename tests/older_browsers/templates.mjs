// A template, checked: elements and attributes that came after the oldest browsers.

import { data, isNewer } from "./data.mjs";

const { elements, global_attributes: everywhere } = data.html;
const TAG = /<([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>/g;

export function* ofTemplate(text) {
  const plain = text.replace(/\{[{%#].*?[}%#]\}/gs, (code) => code.replace(/[^\n]/g, " ")); // of the server
  for (const { 1: tag, 2: attributes, index } of plain.matchAll(TAG)) {
    const line = plain.slice(0, index).split("\n").length;
    const names = attributes.replace(/"[^"]*"/g, "").match(/[a-z-]+/g) ?? [];
    if (isNewer(elements[tag])) yield [line, `<${tag}> is not in every browser that the pages promise to work in`];
    for (const name of names) {
      if (isNewer(elements[tag]?.[name] ?? everywhere[name])) yield [line, `${name}= is not in every browser that the pages promise to work in`];
    }
  }
}
