// Cards drawn in squares, one a line ("2 ###/##./###": a height and rows), as grids to tap. Without this script, or when a
// person wants to, the lines are typed. The text field stays what is sent.

import { t, tn } from "./words.js";

const LINE = /^([0-9]{1,2}) +([#.]+(?:\/[#.]+)*)$/;
const ROWS = 3;
const COLUMNS = 5;
const HIGHEST = 8;
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function parse(line) {
  const found = LINE.exec(line.trim());
  if (!found) return { text: line };
  const drawn = found[2].split("/");
  const wide = Math.max(COLUMNS, ...drawn.map((row) => row.length));
  const rows = Array.from({ length: Math.max(ROWS, drawn.length) }, (_, row) =>
    Array.from({ length: wide }, (__, column) => drawn[row]?.[column] === "#"));
  return { height: Number(found[1]), rows };
}

function write(card) {
  if (!card.rows) return card.text;
  const used = card.rows.map((row) => row.some(Boolean));
  const columns = card.rows[0].map((_, column) => card.rows.some((row) => row[column]));
  if (!used.includes(true)) return `${card.height} .`;
  const kept = card.rows.slice(used.indexOf(true), used.lastIndexOf(true) + 1);
  const drawn = kept.map((row) =>
    row.slice(columns.indexOf(true), columns.lastIndexOf(true) + 1).map((square) => (square ? "#" : ".")).join(""));
  return `${card.height} ${drawn.join("/")}`;
}

function squares(card) {
  return card.rows.flatMap((row, at) => row.flatMap((square, column) => (square ? [[at, column]] : [])));
}

function inOnePiece(card) {
  const left = squares(card);
  const edge = left.splice(0, 1);
  while (edge.length) {
    const [row, column] = edge.pop();
    for (let at = left.length - 1; at >= 0; at -= 1) {
      const [otherRow, otherColumn] = left[at];
      if (Math.abs(row - otherRow) + Math.abs(column - otherColumn) === 1) edge.push(...left.splice(at, 1));
    }
  }
  return left.length === 0;
}

function words(card) {
  const count = squares(card).length;
  if (!count) return t("No squares yet. Tap some.");
  if (!inOnePiece(card)) return t("It's in more than one piece. Join the squares.");
  return tn("{n} square, {height} high: {room}", "{n} squares, {height} high: {room}", count, { height: card.height, room: count * card.height });
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, label, act) {
  const made = element("button", { type: "button", className: "tap t-plain", textContent: text });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

class GridEditor {
  constructor(field) {
    this.field = field;
    this.cards = field.value.split("\n").filter((line) => line.trim()).map(parse);
    this.list = element("div", { className: "drawn-cards" });
    this.typing = button(t("Type them"), t("Type the cards as text"), () => this.show(field.hidden));
    const add = button(t("Another card"), t("Another card"), () => this.add());
    field.after(element("div", { className: "grid-editor" }, this.list, element("div", { className: "taps" }, add, this.typing)));
    field.addEventListener("change", () => {
      this.cards = field.value.split("\n").filter((line) => line.trim()).map(parse);
      this.draw();
    });
    this.show(false);
    this.draw();
  }

  show(asText) {
    this.field.hidden = !asText;
    this.list.hidden = asText;
    this.typing.textContent = asText ? t("Draw them") : t("Type them");
    this.typing.setAttribute("aria-label", asText ? t("Draw the cards in squares") : t("Type the cards as text"));
  }

  add() {
    this.cards.push({ height: 1, rows: Array.from({ length: ROWS }, () => Array(COLUMNS).fill(true)) });
    this.changed();
    this.draw();
    this.show(false);
    this.list.lastElementChild.querySelector("[aria-pressed]").focus();
  }

  changed() {
    this.field.value = this.cards.map(write).join("\n");
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  draw() {
    this.list.replaceChildren(...this.cards.map((card, index) => this.drawn(card, index)));
  }

  drawn(card, index) {
    const name = t("Card {number}", { number: index + 1 });
    const said = element("p", { className: "small", textContent: card.rows ? words(card) : t("This line isn't a card. Type it again, or remove it.") });
    said.setAttribute("role", "status");
    const remove = button(t("Remove"), t("Remove card {number}", { number: index + 1 }), () => {
      this.cards.splice(index, 1);
      this.changed();
      this.draw();
    });
    const head = element("div", { className: "drawn-head" }, element("strong", { textContent: name }), remove);
    const made = element("article", { className: "drawn-card" }, head);
    made.setAttribute("aria-label", name);
    if (card.rows) made.append(this.grid(card, said), this.stepper(card, said));
    else made.append(element("code", { textContent: card.text }));
    made.append(said);
    return made;
  }

  grid(card, said) {
    const grid = element("div", { className: "drawn-grid" });
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", t("Squares"));
    card.rows.forEach((row, at) => {
      grid.append(element("div", { className: "drawn-row" }, ...row.map((_, column) => {
        const square = element("button", { type: "button", className: "square", tabIndex: at || column ? -1 : 0 });
        square.setAttribute("aria-label", t("row {row}, column {column}", { row: at + 1, column: column + 1 }));
        square.setAttribute("aria-pressed", String(card.rows[at][column]));
        square.addEventListener("click", () => {
          card.rows[at][column] = !card.rows[at][column];
          square.setAttribute("aria-pressed", String(card.rows[at][column]));
          said.textContent = words(card);
          this.changed();
        });
        return square;
      })));
    });
    grid.addEventListener("keydown", (key) => this.move(grid, key));
    return grid;
  }

  // one stop for the tabulator key, the arrows go from square to square
  move(grid, key) {
    const step = ARROWS[key.key];
    if (!step) return;
    const rows = [...grid.children].map((row) => [...row.children]);
    const row = rows.findIndex((each) => each.includes(key.target));
    const next = rows[row + step[0]]?.[rows[row].indexOf(key.target) + step[1]];
    if (!next) return;
    key.preventDefault();
    Object.assign(key.target, { tabIndex: -1 });
    Object.assign(next, { tabIndex: 0 });
    next.focus();
  }

  stepper(card, said) {
    const shown = element("output", { textContent: String(card.height) });
    const step = (by) => () => {
      card.height = Math.min(HIGHEST, Math.max(1, card.height + by));
      shown.textContent = String(card.height);
      said.textContent = words(card);
      this.changed();
    };
    return element("div", { className: "drawn-height" }, element("span", { textContent: t("Height") }),
      element("span", { className: "stepper" }, button("−", t("Lower"), step(-1)), shown, button("+", t("Higher"), step(1))));
  }
}

function enhance(root) {
  root.querySelectorAll("textarea[data-grid-editor]:not([data-drawn])").forEach((field) => {
    field.setAttribute("data-drawn", "");
    new GridEditor(field);
  });
}

enhance(document);
// a preset brings the fields anew
new MutationObserver(() => enhance(document)).observe(document.body, { childList: true, subtree: true });
