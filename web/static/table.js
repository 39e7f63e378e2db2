// The page of the demo's table: dice to throw and drag, stacks of blocks, the button box with its lamps and buzzer.

import { learnOffset, nowUs } from "./clock.js";
import { drawInHand } from "./free_building.js";
import { openLine } from "./line.js";
import { isLifted, tapped, tappedBeside } from "./own_dice.js";
import { drawSeated } from "./seated.js";
import { here, post } from "./talk.js";
import { chosen, drawThings } from "./things.js";
import { t, tn } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const REACH_MM = 26; // a finger is wider than a die
const SPINS = 540; // degrees that a thrown die turns on its way
const LEVEL_MM = 4; // how far each die of a stack is drawn above the one below
const FACE_MS = 70; // how long a tumbling die shows one face
const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

const COLOURS = {
  red: t("red"), blue: t("blue"), green: t("green"), purple: t("purple"),
  yellow: t("yellow"), orange: t("orange"), white: t("white"), black: t("black"),
};

const mat = document.getElementById("mat");
const place = document.getElementById("dice");
const dieMm = Number(mat.dataset.dieMm);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let shown = null; // the newest message of the table's stream
let dragged = null; // { key, keys, x, y, dx, dy }: the die under the finger, and all of its stack

function element(name, attributes, parent) {
  const created = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, String(value)));
  parent?.append(created);
  return created;
}

// dice

function drawDie(group, die, value) {
  const looks = JSON.stringify([value, die.colour]);
  if (group.dataset.looks === looks) return;
  group.dataset.looks = looks;
  group.dataset.value = String(value);
  group.setAttribute("class", `mat-die die c-${die.colour}`);
  const half = dieMm / 2;
  group.replaceChildren();
  element("rect", { class: "die-body", x: -half, y: -half, width: dieMm, height: dieMm, rx: dieMm * 0.2 }, group);
  PIPS[value].forEach(([x, y]) => element("circle", { class: "pip", cx: x * dieMm * 0.27, cy: y * dieMm * 0.27, r: dieMm * 0.092 }, group));
}

function groupOf(key) {
  return place.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? newGroup(key);
}

function newGroup(key) {
  const group = element("g", { "data-key": key }, place);
  group.addEventListener("keydown", (pressed) => { if (pressed.key === "Enter") tap(tops().find((die) => die.key === key)); });
  return group;
}

// Only the top die of a stack can be tapped.
function nameDie(group, die, isTop) {
  group.setAttribute("aria-hidden", String(!isTop));
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", isTop ? "0" : "-1");
  group.setAttribute("aria-pressed", String(isLifted(die.key)));
  const { value, level } = die;
  const alone = shown.table.colours.length ? t("Die showing {value}, {colour}", { value, colour: COLOURS[die.colour] })
    : t("Die showing {value}", { value });
  group.setAttribute("aria-label", level ? tn("{die}, on {n} other", "{die}, on {n} others", level, { die: alone }) : alone);
}

function tops() {
  const dice = shown?.table.dice ?? [];
  return dice.filter((die) => !dice.some((other) => other.level > die.level && other.x_mm === die.x_mm && other.y_mm === die.y_mm));
}

async function tap(die) {
  if (!die) return;
  await tapped(die);
  drawDice();
}

// Puts upper dice above lower ones. Moving a group within the page takes the focus from it, so the focus is set again.
function inOrder(keys) {
  if ([...place.children].every((group, index) => group.dataset.key === keys[index])) return;
  const focused = document.activeElement;
  keys.forEach((key) => place.append(groupOf(key)));
  if (place.contains(focused)) focused.focus();
}

// The place, angle and face of a die in flight, after a share of the throw's time.
function inFlight(die, share, index) {
  const from = shown.table.throw.origin.find((each) => each.key === die.key) ?? { x_mm: -40, y_mm: 330, angle_deg: 0 };
  const eased = 1 - (1 - share) ** 3;
  const hop = Math.sin(Math.PI * share) * 18;
  return {
    x: from.x_mm + (die.x_mm - from.x_mm) * eased,
    y: from.y_mm + (die.y_mm - from.y_mm) * eased - hop,
    turn: die.angle_deg - SPINS * (1 - eased),
    value: 1 + ((Math.floor(performance.now() / FACE_MS) * 5 + index * 2) % 6),
  };
}

function drawDice() {
  const { dice, throw: thrown } = shown.table;
  const now = nowUs();
  const share = thrown && now !== null && !calm.matches
    ? Math.min(1, Math.max(0, (now - thrown.started_us) / (thrown.rests_us - thrown.started_us))) : 1;
  place.querySelectorAll("[data-key]").forEach((group) => {
    if (!dice.some((die) => die.key === group.dataset.key)) group.remove();
  });
  const free = tops();
  dice.forEach((die, index) => {
    const group = groupOf(die.key);
    const held = dragged?.keys.includes(die.key) ? dragged : null;
    const spot = share < 1 ? inFlight(die, share, index)
      : { x: held?.x ?? die.x_mm, y: held?.y ?? die.y_mm, turn: die.angle_deg, value: die.value };
    drawDie(group, die, spot.value);
    nameDie(group, die, free.includes(die));
    const y = spot.y - die.level * LEVEL_MM;
    group.setAttribute("transform", `translate(${spot.x.toFixed(2)} ${y.toFixed(2)}) rotate(${spot.turn.toFixed(1)})`);
    group.classList.toggle("held", Boolean(held));
  });
  const held = (die) => Number(Boolean(dragged?.keys.includes(die.key)));
  inOrder([...dice].sort((one, other) => held(one) - held(other) || one.level - other.level).map((die) => die.key));
  place.dataset.resting = String(share === 1);
  document.getElementById("mat-hint").classList.toggle("gone", dice.length > 0);
  if (share < 1) requestAnimationFrame(drawDice);
}

function millimetres(pointer) {
  const point = new DOMPoint(pointer.clientX, pointer.clientY).matrixTransform(mat.getScreenCTM().inverse());
  return { x: point.x, y: point.y };
}

function nearest(spot) {
  const distances = tops().map((die) => ({ die, far: Math.hypot(die.x_mm - spot.x, die.y_mm - die.level * LEVEL_MM - spot.y) }));
  return distances.filter(({ far }) => far < REACH_MM).sort((a, b) => a.far - b.far)[0]?.die;
}

let moving = false;
async function move() {
  if (moving || !dragged) return;
  moving = true;
  const { key, x, y } = dragged;
  await post(here("/table/move"), { key, x_mm: x, y_mm: y });
  moving = false;
  if (dragged && (dragged.x !== x || dragged.y !== y)) move();
}

mat.addEventListener("pointerdown", (pointer) => {
  const spot = millimetres(pointer);
  const die = nearest(spot);
  if (!die) {
    if (shown) tappedBeside(spot).then(drawDice);
    return;
  }
  pointer.preventDefault();
  mat.setPointerCapture(pointer.pointerId);
  const keys = shown.table.dice.filter((each) => each.x_mm === die.x_mm && each.y_mm === die.y_mm).map((each) => each.key);
  dragged = { key: die.key, keys, x: die.x_mm, y: die.y_mm, dx: die.x_mm - spot.x, dy: die.y_mm - spot.y, moved: false };
});

mat.addEventListener("pointermove", (pointer) => {
  if (!dragged) return;
  const spot = millimetres(pointer);
  const [, , width, height] = mat.getAttribute("viewBox").split(" ").map(Number);
  const x = Math.min(width - dieMm, Math.max(dieMm, spot.x + dragged.dx));
  const y = Math.min(height - dieMm, Math.max(dieMm, spot.y + dragged.dy));
  if (!dragged.moved && Math.hypot(x - dragged.x, y - dragged.y) < 2) return; // a trembling finger taps, and does not drag
  Object.assign(dragged, { x, y, moved: true });
  drawDice();
  move();
});

async function letGo() {
  const last = dragged;
  if (!last) return;
  dragged = null;
  if (last.moved) await post(here("/table/move"), { key: last.key, x_mm: last.x, y_mm: last.y });
  else if (chosen()) await tap(tops().find((die) => die.key === last.key));
  drawDice();
}
mat.addEventListener("pointerup", letGo);
mat.addEventListener("pointercancel", letGo);
mat.addEventListener("dblclick", (click) => {
  const die = chosen() ? null : nearest(millimetres(click));
  if (die) post(here("/table/roll"), { keys: [die.key] });
});

const count = document.getElementById("count");
document.querySelectorAll("[data-count]").forEach((tap) => tap.addEventListener("click", () => {
  count.value = String(Math.min(Number(count.dataset.most), Math.max(1, Number(count.value) + Number(tap.dataset.count))));
}));
document.getElementById("roll").addEventListener("click", () => post(here("/table/roll"), { count: Number(count.value) }));
document.getElementById("clear").addEventListener("click", () => post(here("/table/clear")));

// stacks

function drawStack(seat, stack) {
  const where = document.querySelector(`.stack-place[data-seat="${seat}"]`);
  const drawn = JSON.stringify(stack);
  if (!where || where.dataset.drawn === drawn) return;
  where.dataset.drawn = drawn;
  where.classList.toggle("fallen", !stack.standing);
  drawInHand(where, stack);
  const blocks = where.querySelector(".blocks");
  while (blocks.children.length > stack.blocks.length) blocks.lastElementChild.remove();
  stack.blocks.forEach((each, number) => {
    const turn = (each.turn_deg * Math.PI) / 180;
    const width = each.across_mm * Math.abs(Math.cos(turn)) + each.away_mm * Math.abs(Math.sin(turn)); // as seen from the front
    const block = blocks.children[number] ?? element("rect", { class: `block block-${number % 4}`, rx: 2.5 }, blocks);
    block.setAttribute("width", String(width));
    block.setAttribute("height", String(each.upright_mm));
    block.setAttribute("x", String(-width / 2));
    block.setAttribute("y", String(-each.upright_mm));
    block.style.transform = `translate(${each.x_mm}px, ${-each.foot_mm}px)`;
  });
  where.querySelector(".stack").setAttribute("aria-label", stack.standing
    ? tn("Stack of seat {seat}: {n} block", "Stack of seat {seat}: {n} blocks", stack.blocks.length, { seat })
    : t("Stack of seat {seat}: fallen", { seat }));
}

document.querySelectorAll("[data-stack]").forEach((tap) => tap.addEventListener("click", () => {
  post(here(`/table/stacks/${tap.closest("[data-seat]").dataset.seat}/${tap.dataset.stack}`));
}));

// the button box: each request waits for the one before, so a press arrives before its release

let requests = Promise.resolve();
const down = new Set();

function push(button) {
  if (down.has(button)) return;
  down.add(button);
  requests = requests.then(() => post(here("/table/press"), { button }));
}

function letUp(button) {
  if (!down.delete(button)) return;
  requests = requests.then(() => post(here("/table/release"), { button }));
}

document.querySelectorAll("[data-button]").forEach((cap) => {
  const { button } = cap.dataset;
  cap.addEventListener("pointerdown", (pointer) => {
    cap.setPointerCapture(pointer.pointerId);
    push(button);
  });
  ["pointerup", "pointercancel", "lostpointercapture"].forEach((kind) => cap.addEventListener(kind, () => letUp(button)));
  cap.addEventListener("contextmenu", (menu) => menu.preventDefault());
  cap.addEventListener("keydown", (key) => { if (key.key === "Enter" && !key.repeat) push(button); });
  cap.addEventListener("keyup", (key) => { if (key.key === "Enter") letUp(button); });
});

function buttonOf(key) {
  const name = key.key === " " ? "start" : `seat-${key.key}`;
  return document.querySelector(`[data-button="${CSS.escape(name)}"]`) ? name : null;
}
addEventListener("keydown", (key) => {
  const button = buttonOf(key);
  if (!button || key.repeat || key.target.closest("input") || (key.key === " " && key.target.closest("button, a, summary"))) return;
  key.preventDefault();
  push(button);
});
addEventListener("keyup", (key) => { const button = buttonOf(key); if (button) letUp(button); });

// lamps and buzzer

let sound = null; // { context, volume, oscillator } while the sound is on

function drawBox({ leds, tone_hz: tone, pressed }) {
  const level = Object.fromEntries(leds.map(([name, brightness]) => [name, brightness]));
  document.querySelectorAll("[data-led]").forEach((led) => {
    led.style.setProperty("--lit", String(level[led.dataset.led] ?? 0));
    led.classList.toggle("blinking", leds.some(([name, , blinking]) => name === led.dataset.led && blinking));
  });
  document.querySelectorAll("[data-button]").forEach((cap) => cap.classList.toggle("down", pressed.includes(cap.dataset.button)));
  const lamp = document.getElementById("status-lamp");
  const colour = ["red", "green", "blue"].map((part) => Math.round(255 * (level[`status-${part}`] ?? 0)));
  lamp?.style.setProperty("--lamp", `rgb(${colour.join(" ")})`);
  const buzzer = document.getElementById("buzzer");
  buzzer?.classList.toggle("sounding", tone !== null);
  if (buzzer) document.getElementById("tone").textContent = tone === null ? t("silent") : `${Math.round(tone)} Hz`;
  if (sound) {
    if (tone !== null) sound.oscillator.frequency.value = tone;
    sound.volume.gain.setTargetAtTime(tone === null ? 0 : 0.06, sound.context.currentTime, 0.005);
  }
}

document.getElementById("sound")?.addEventListener("click", (click) => {
  if (sound) {
    sound.context.close();
    sound = null;
  } else {
    const context = new AudioContext();
    const volume = new GainNode(context, { gain: 0 });
    const oscillator = new OscillatorNode(context, { type: "square" });
    oscillator.connect(volume).connect(context.destination);
    oscillator.start();
    sound = { context, volume, oscillator };
  }
  click.target.setAttribute("aria-pressed", String(Boolean(sound)));
  click.target.textContent = sound ? t("Sound off") : t("Sound on");
  if (shown) drawBox(shown.box);
});

// the stream

learnOffset().then(() => openLine({
  address: () => here("/table/stream"),
  hear: {
    table: (message) => {
      const before = shown;
      shown = JSON.parse(message.data);
      drawSeated(shown.seated);
      if (JSON.stringify([before?.table, before?.seated]) !== JSON.stringify([shown.table, shown.seated])) {
        drawThings(shown);
        drawDice();
      }
      Object.entries(shown.stacks).forEach(([seat, stack]) => drawStack(seat, stack));
      drawBox(shown.box);
    },
  },
  opened: () => {},
}));
