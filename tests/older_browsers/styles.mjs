// A style sheet, checked: properties, values, units, selectors and at-rules that came after the oldest browsers.

import * as css from "css-tree";
import { data, isNewer } from "./data.mjs";

const { properties, selectors, types } = data.css;
const atRules = data.css["at-rules"];
const EVERYWHERE = new Set(["none", "auto", "inherit", "initial", "unset"]);

// Functions and units stand under the types of values, at any depth.
const newerTypes = new Set();
const olderTypes = new Set();
(function collect(node) {
  Object.entries(node).forEach(([name, part]) => {
    if (name === "__compat") return;
    if (part.__compat) (isNewer(part) ? newerTypes : olderTypes).add(name);
    collect(part);
  });
}(types));
olderTypes.forEach((name) => newerTypes.delete(name));
["dvh", "dvw", "svh", "svw", "lvh", "lvw", "dvi", "dvb", "dvmin", "dvmax", "cqw", "cqh", "cqi", "cqb", "cap", "lh", "rlh", "ic"]
  .forEach((unit) => newerTypes.add(unit)); // the data has them by families

const isFlex = (block) => block.children.some((one) => one.property === "display" && /flex/.test(css.generate(one.value)));

function* ofDeclaration(node, block) {
  const { property } = node;
  if (property.startsWith("--")) return;
  const known = properties[property];
  if (isNewer(known)) yield property;
  const found = [];
  css.walk(node.value, (part) => {
    if (part.type === "Identifier" && !EVERYWHERE.has(part.name) && isNewer(known?.[part.name])) found.push(`${property}: ${part.name}`);
    if (part.type === "Function" && (newerTypes.has(part.name) || isNewer(known?.[part.name]))) found.push(`${part.name}()`);
    if (part.type === "Dimension" && newerTypes.has(part.unit)) found.push(part.unit);
    const aligns = /^(place|align|justify)-(items|content|self)$/.test(property);
    if (part.type === "Identifier" && aligns && /^(start|end)$/.test(part.name) && block && isFlex(block)) {
      found.push(`${property}: ${part.name} in a flex box`);
    }
  });
  yield* found;
}

const isFallen = (node, block) => block?.children.some((one) => [node.property, `-webkit-${node.property}`].includes(one.property) && one !== node
  && one.loc.start.offset < node.loc.start.offset && [...ofDeclaration(one, block)].length === 0);

function* ofNode(node, ancestors) {
  const block = ancestors.filter(({ type }) => type === "Block").pop();
  const where = block && { children: block.children.toArray() };
  if (node.type === "Declaration" && !isFallen(node, where)) yield* ofDeclaration(node, where);
  if (node.type === "Atrule" && isNewer(atRules[node.name])) yield `@${node.name}`;
  if (node.type === "FeatureRange") yield "a range in @media";
  if (node.type === "Rule" && ancestors.some(({ type }) => type === "Rule")) yield "a rule in a rule";
  if (/^Pseudo(Class|Element)Selector$/.test(node.type) && isNewer(selectors[node.name])) yield `:${node.name}`;
}

export function* ofStyle(text, first = 1) {
  const problems = [];
  const ancestors = [];
  const tree = css.parse(text, { positions: true, line: first, onParseError: (error) => problems.push([error.line, error.message]) });
  css.walk(tree, {
    enter(node) {
      const isAsked = ancestors.some(({ type, name }) => type === "Atrule" && name === "supports");
      if (!isAsked) for (const what of ofNode(node, ancestors)) problems.push([node.loc.start.line, `${what} is not in every browser that the pages promise to work in`]);
      ancestors.push(node);
    },
    leave() { ancestors.pop(); },
  });
  yield* problems;
}
