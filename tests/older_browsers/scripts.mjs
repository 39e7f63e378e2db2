// A script, checked: syntax after 2021, and functions that came after the oldest browsers.

import { Linter } from "eslint";
import { globals, members, owned } from "./data.mjs";

const TESTS = { IfStatement: "test", ConditionalExpression: "test", LogicalExpression: "left" };
const LATER_PATTERN = /\(\?<[=!]/; // looking behind: Safari 16.4

const INSTANCES = { navigator: true, document: true, crypto: true, performance: true, history: true, location: true, screen: true };

const name = ({ property, computed }) => (computed ? null : property.name);

// Whether the function around a place asks first if there is such a thing.
function isAskedFor(node, what, source) {
  let around = node;
  while (around.parent && !around.type.includes("Function")) around = around.parent;
  const pending = [around];
  while (pending.length) {
    const one = pending.pop();
    const test = one[TESTS[one.type]];
    if (test && new RegExp(`\\b${what}\\b`).test(source.getText(test))) return true;
    Object.entries(one).forEach(([key, value]) => {
      if (key !== "parent") pending.push(...[value].flat().filter((each) => typeof each?.type === "string"));
    });
  }
  return false;
}

const rule = {
  create(context) {
    const source = context.sourceCode;
    const complain = (node, what) => {
      if (isAskedFor(node, what.split(".").pop(), source)) return;
      context.report({ node, message: `${what} is not in every browser that the pages promise to work in` });
    };
    const unresolved = new Set();
    const own = new Set(); // functions of the script's own objects
    const found = [];
    function judge(node) {
      const owner = unresolved.has(node.object) ? node.object.name : null;
      if (owner in INSTANCES ? !members.has(name(node)) : owner) {
        if (owned.get(owner)?.has(name(node))) complain(node, `${owner}.${name(node)}`);
        return;
      }
      const called = node.parent.type === "CallExpression" && node.parent.callee === node;
      if (called && !node.parent.optional && !own.has(name(node)) && members.has(name(node))) complain(node, name(node));
    }
    return {
      Property({ key, value, shorthand }) {
        if (shorthand || value.type.includes("Function")) own.add(key.name);
      },
      MethodDefinition({ key }) {
        own.add(key.name);
      },
      "Program:exit"() {
        found.forEach(judge);
      },
      Program() {
        const { through, variables } = source.scopeManager.globalScope;
        const known = variables.filter(({ defs }) => defs.length === 0).flatMap(({ references }) => references);
        [...through, ...known].forEach(({ identifier }) => {
          unresolved.add(identifier);
          if (globals.has(identifier.name) && identifier.parent.operator !== "typeof") complain(identifier, identifier.name);
        });
      },
      MemberExpression(node) {
        found.push(node);
      },
      Literal(node) {
        if (node.regex && (LATER_PATTERN.test(node.regex.pattern) || /[dv]/.test(node.regex.flags))) complain(node, "this pattern");
      },
    };
  },
};

export function* ofScript(text, isModule) {
  const linter = new Linter();
  for (const { line, message } of linter.verify(text, [{
    languageOptions: { ecmaVersion: 2021, sourceType: isModule ? "module" : "script" },
    plugins: { older: { rules: { newer: rule } } },
    rules: { "older/newer": "error" },
  }])) yield [line, message];
}
