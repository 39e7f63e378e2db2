// Pieces on the demo's board and boxes on its truck cards: a tool is chosen, then a square is tapped.

import { morphChildren } from "./morph.js";
import { here, post } from "./talk.js";
import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LEVEL_MM = 2.2; // how far each piece of a pile is drawn above the one below
const CARD_MM = [61, 85];
const BOX_COLOURS = { 1: "white", 2: "grey", 3: "brown", 4: "turquoise", 5: "purple" };

const CLOSE_MM = 2; // around the squares of a truck that is shown close

const layer = document.getElementById("things");
const trucks = document.getElementById("trucks");
let tool = null; // the tap that was chosen last, of the tools shown now

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  parent?.append(made);
  return made;
}

function choose(chosen) {
  tool = chosen;
  document.querySelectorAll("[data-tool]").forEach((tap) => tap.setAttribute("aria-pressed", String(tap === chosen)));
}

export function chosen() {
  return tool?.dataset.tool ?? null;
}

function along() {
  return document.querySelector("[name=along]:checked").value;
}

function tapped(square) {
  const place = { row: Number(square.dataset.row), column: Number(square.dataset.column) };
  const truck = Number(square.dataset.truck);
  if (!tool) return;
  const { tool: what, colour, first, size } = tool.dataset;
  if (what === "put") post(here("/table/board/put"), { ...place, colour });
  if (what === "take") post(here("/table/board/take"), place);
  if (what === "tip") post(here("/table/board/tip"), { ...place, first: Number(first) });
  if (what === "load") post(here("/table/boxes/load"), { ...place, truck, size: Number(size), along: along() });
  if (what === "unload") post(here("/table/boxes/unload"), { ...place, truck });
}

function drawSquare(square, parent, name = "mat-square") {
  const half = square.side_mm / 2;
  const attributes = { class: name, x: square.x_mm - half, y: square.y_mm - half, width: 2 * half, height: 2 * half };
  return element("rect", attributes, parent);
}

function drawTapped(square, parent) {
  const { truck, row, column } = square;
  const drawn = drawSquare(square, parent, "thing-square");
  Object.assign(drawn.dataset, { keep: [truck, row, column].join("-"), truck, row, column });
  drawn.setAttribute("role", "button");
  drawn.setAttribute("tabindex", "0");
  drawn.setAttribute("aria-label", t("Row {row}, column {column}", { row: row + 1, column: column + 1 }));
}

function drawPieces(table, squares, parent) {
  const high = new Map();
  table.pieces.forEach((piece) => {
    const square = squares.find((each) => each.row === piece.row && each.column === piece.column);
    const level = high.get(square) ?? 0;
    high.set(square, level + 1);
    const r = square.side_mm * 0.36;
    element("circle", { class: `thing c-${piece.colour}`, cx: square.x_mm, cy: square.y_mm - level * LEVEL_MM, r }, parent);
  });
}

function drawBoxes(table, unitMm, parent) {
  [...table.boxes].sort((one, other) => one.z_mm - other.z_mm).forEach((box) => {
    const width = unitMm * (box.along === "x" ? box.size : 1);
    const height = unitMm * (box.along === "y" ? box.size : 1);
    const attributes = { x: box.x_mm - width / 2, y: box.y_mm - height / 2, width, height, rx: 1 };
    element("rect", { class: `thing c-${BOX_COLOURS[box.size]}`, ...attributes }, parent);
  });
}

// A finger is wider than a square on the mat, so each truck is shown once more, close, and tapped there.
function drawClose(table, squares, unitMm, parent) {
  const columns = Math.max(0, ...table.trucks.flatMap(({ area }) => area.map((row) => row.length)));
  const widthMm = columns * unitMm + 2 * CLOSE_MM;
  table.trucks.forEach(({ area, number, x_mm: x, y_mm: y }, index) => {
    const heightMm = area.length * unitMm + 2 * CLOSE_MM;
    const figure = document.createElement("figure");
    parent.append(figure);
    const caption = document.createElement("figcaption");
    caption.textContent = t("Truck {card}", { card: number ?? index + 1 });
    figure.append(caption);
    const viewBox = [x - widthMm / 2, y - heightMm / 2, widthMm, heightMm].join(" ");
    const close = element("svg", { class: "truck", viewBox, role: "group", "aria-label": caption.textContent }, figure);
    squares.filter((square) => square.truck === index).forEach((square) => drawTapped(square, close));
    drawBoxes(table, unitMm, close);
  });
}

function drawTruckNumbers(table, unitMm, parent) {
  table.trucks.filter((truck) => truck.number !== null).forEach(({ area, number, x_mm: x, y_mm: y }) => {
    const above = { x, y: y - (area.length / 2) * unitMm - 5 };
    const label = element("text", { class: "truck-number", ...above, "text-anchor": "middle" }, parent);
    label.textContent = t("Truck {card}", { card: number });
  });
}

function drawCard(number, [x, y], parent) {
  const [width, height] = CARD_MM;
  element("rect", { class: "thing c-white", x: x - width / 2, y: y - height / 2, width, height, rx: 3 }, parent);
  element("text", { class: "thing-number", x, y, "text-anchor": "middle" }, parent).textContent = String(number);
}

// What the fingers may move: dice that no camera looks for are rolled for nobody.
function laidOut({ table, seated }) {
  if (table.colours.length) return "own-dice";
  return table.mat === "dice" && !seated.looks ? "nothing" : table.mat;
}

export function drawThings(shown) {
  const { table, squares, unit_mm: unitMm, card_spot: cardSpot } = shown;
  const laid = laidOut(shown);
  document.querySelectorAll("[data-mat]").forEach((part) => { // the hint in the drawing has no property "hidden"
    part.toggleAttribute("hidden", !part.dataset.mat.split(" ").includes(laid));
  });
  if (tool?.closest("[hidden]")) choose(null);
  const things = element("g", {});
  squares.forEach((square) => (square.truck === null ? drawTapped : drawSquare)(square, things));
  drawPieces(table, squares, things);
  drawTruckNumbers(table, unitMm, things);
  drawBoxes(table, unitMm, things);
  if (cardSpot) drawCard(table.card, cardSpot, things);
  morphChildren(layer, things); // in place: a square stays under the finger, and keeps the keyboard's focus
  const close = document.createElement("div");
  drawClose(table, squares, unitMm, close);
  morphChildren(trucks, close);
}

[layer, trucks].forEach((drawn) => {
  const act = (target) => { if (target.matches(".thing-square")) tapped(target); };
  drawn.addEventListener("click", (click) => act(click.target));
  drawn.addEventListener("keydown", (key) => { if (key.key === "Enter") act(key.target); });
});

document.querySelectorAll("[data-tool]").forEach((tap) => tap.addEventListener("click", () => choose(tap)));
document.getElementById("deal").addEventListener("submit", (submit) => {
  submit.preventDefault();
  const counts = [...submit.target.querySelectorAll("input")].map((field) => Number(field.value));
  post(here("/table/boxes/deal"), { counts });
});
document.getElementById("card").addEventListener("submit", (submit) => {
  submit.preventDefault();
  post(here("/table/card"), { number: Number(submit.target.querySelector("input").value) });
});
document.getElementById("card-away").addEventListener("click", () => post(here("/table/card"), { number: null }));
