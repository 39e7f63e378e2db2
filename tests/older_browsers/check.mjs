// Checks every script, style sheet and template of the pages; `--newer` prints what the oldest browsers lack.
//
//   node check.mjs WEB      with the folder that has `static` and `templates`

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FINE } from "./fine.mjs";
import { newer } from "./data.mjs";
import { ofScript } from "./scripts.mjs";
import { ofStyle } from "./styles.mjs";
import { ofTemplate } from "./templates.mjs";

const PLAIN = new Set(["early.js", "worker.js", "older.js", "older_selectors.js"]); // loaded as scripts, not as modules

function* complaints(path) {
  const text = readFileSync(path, "utf-8");
  if (path.endsWith(".js")) yield* ofScript(text, !PLAIN.has(path.split("/").pop()));
  if (path.endsWith(".css")) yield* ofStyle(text);
  if (path.endsWith(".html")) yield* ofTemplate(text);
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

const told = `${JSON.stringify(newer).replaceAll("],", "],\n")}\n`;
if (process.argv[2] === "--newer") {
  process.stdout.write(told);
} else {
  let count = 0;
  const used = new Set();
  for (const path of files(process.argv[2])) {
    for (const [line, message] of complaints(path)) {
      const fine = Object.keys(FINE).find((what) => message.startsWith(`${what} is not`));
      if (fine) used.add(fine);
      else {
        console.log(`${path}:${line}: ${message}`);
        count += 1;
      }
    }
  }
  Object.keys(FINE).filter((what) => !used.has(what)).forEach((what) => {
    console.log(`${what} needs no exception any more`);
    count += 1;
  });
  if (readFileSync(new URL("newer.json", import.meta.url), "utf-8") !== told) {
    console.log("newer.json is not what the data say: node check.mjs --newer >newer.json");
    count += 1;
  }
  if (!count) console.log("Scripts, styles and templates use nothing that came after Chrome 88 or Safari 14.1.");
  process.exit(count ? 1 : 0);
}
