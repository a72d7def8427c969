// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The page of congestion trees: draws each run at the moment that the slider shows. Names come from the page's data and are text only.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const TREE = 0x80;
const ROWS = 5;
const BADGE = 7;  // radius
const PLAYS_MS = 12000;  // a whole run
const DASHES = ["solid", "dashed", "dotted", "dash-dotted"];

function bytes(text) {
  return text === null ? null : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function words(text) {
  const view = new DataView(bytes(text).buffer);
  return Uint16Array.from({ length: view.byteLength / 2 }, (_, i) => view.getUint16(2 * i, true));
}

function add(parent, name, attributes = {}, text) {
  const one = parent.namespaceURI === SVG || name === "svg" ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  if (text !== undefined) one.textContent = text;
  parent.append(one);
  return one;
}

function size(number) {
  return number >= 2 ** 20 ? `${(number / 2 ** 20).toPrecision(3)} MiB` : `${(number / 1024).toFixed(number < 10240 ? 1 : 0)} KiB`;
}

// The look of a value: 0 for 0, else the last step that is not above it, counted from 1.
function look(value, steps) {
  if (value <= 0) return 0;
  let last = steps.length;
  while (last > 1 && steps[last - 1] > value) last--;
  return last;
}

function portName(place) {
  const [own, port, peer] = data.ports[place];
  return `${data.names[own]}/${port} → ${data.names[peer]}`;
}

class Panel {
  constructor(run, parent) {
    this.run = run;
    this.queued = words(run.queued);
    this.waited = bytes(run.waited);
    this.received = words(run.received);
    this.senders = bytes(run.sender_waited);
    this.special = bytes(run.special);
    this.senderSpecial = bytes(run.sender_special);
    const section = add(parent, "section");
    add(section, "h2", {}, run.name);
    this.map = add(section, "svg", { class: "map", viewBox: data.box.join(" "), style: `--thin: ${data.thin}`, role: "img", "aria-label": `Congestion trees: ${run.name}` });
    add(this.map, "path", { class: "links", d: data.links });
    add(this.map, "path", { class: "bars", d: data.bars[0], "stroke-width": data.bars[1] });
    this.halo = add(this.map, "path", { class: "halo" });
    this.cellHalo = add(this.map, "path", { class: "halo", style: `stroke-width: ${data.bars[1] + 4}` });
    const shapes = add(this.map, "g");
    this.shapes = data.shapes.map(([kind, path, width, places], number) => {
      const attributes = { d: path, "data-shape": number };
      if (width) attributes.style = `stroke-width: ${width}`;
      return { kind, path, places, look: -1, element: add(shapes, "path", attributes) };
    });
    add(this.map, "path", { class: "boxes", d: data.switches });
    for (const [x, y, text, height, anchor, turn] of data.texts) {
      add(this.map, "text", { x, y, "font-size": height, "text-anchor": anchor, transform: `rotate(${turn} ${x} ${y})` }, text);
    }
    this.badges = add(this.map, "g");
    this.root = add(this.map, "circle", { class: "root", r: 9, visibility: "hidden" });
    this.middles = new Map();
    this.moment = add(section, "p", { class: "moment", "aria-live": "polite" });
    const table = add(add(section, "div", { class: "wide" }), "table");
    add(table, "caption", {}, "Ports with the longest queues at this moment");
    const heads = ["port → leads to", "queued", "waits for credits, % of the interval", "part of the tree"];
    if (data.badges) heads.push("special queues at its far end");
    const head = add(add(table, "thead"), "tr");
    heads.forEach((text, column) => add(head, "th", { scope: "col", class: column === 1 || column === 2 || column === 4 ? "n" : "" }, text));
    this.body = add(table, "tbody");
  }

  // Bytes queued at a port.
  queue(place) {
    return this.queued[this.sample * data.ports.length + place] * this.run.queued_unit;
  }

  wait(place) {
    return this.waited[this.sample * data.ports.length + place];
  }

  specialAt(place) {
    return this.special === null ? 0 : this.special[this.sample * data.ports.length + place];
  }

  host(place) {
    const at = this.sample * data.hosts.length + place;
    const special = this.special === null ? 0 : this.senderSpecial[at];
    return { gbps: this.received[at] * this.run.received_unit, waited: this.senders[at], special };
  }

  show(sample) {
    this.sample = sample;
    const root = this.run.roots[sample];
    const tree = [];
    const treeCells = [];
    this.badges.replaceChildren();
    this.root.setAttribute("visibility", "hidden");
    for (const shape of this.shapes) {
      let value, name, belongs;
      if (shape.kind === "received") {
        value = look(this.host(shape.places[0]).gbps / data.full_gbps, data.part_steps);
        name = `r r${value}`;
      } else if (shape.kind === "sender") {
        const waited = this.host(shape.places[0]).waited;
        value = look((waited & ~TREE) / 100, data.part_steps);
        name = `s s${value}`;
        belongs = waited & TREE;
        if (this.special !== null) this.badge(shape);
      } else {
        value = look(Math.max(...shape.places.map((place) => this.queue(place))), data.queue_steps);
        name = `q ${shape.kind} q${value}`;
        belongs = shape.places.some((place) => this.wait(place) & TREE);
        if (shape.places.includes(root) && (shape.kind === "cell" || !this.rootShown(root))) this.ring(shape);
        if (this.special !== null) this.badge(shape);
      }
      if (belongs) (shape.kind === "link" ? tree : treeCells).push(shape.path);
      if (value !== shape.look) shape.element.setAttribute("class", name);
      shape.look = value;
    }
    this.halo.setAttribute("d", tree.join(""));
    this.cellHalo.setAttribute("d", treeCells.join(""));
    this.moment.textContent = this.run.texts[sample];
    this.list();
  }

  // Whether a cell of its own shows the port, so that the line to the whole bar does not.
  rootShown(root) {
    this.cells ??= new Set(this.shapes.filter((shape) => shape.kind === "cell").flatMap((shape) => shape.places));
    return this.cells.has(root);
  }

  middle(shape, part) {
    const key = `${shape.path} ${part}`;
    if (!this.middles.has(key)) this.middles.set(key, shape.element.getPointAtLength(part * shape.element.getTotalLength()));
    return this.middles.get(key);
  }

  ring(shape) {
    const spot = this.middle(shape, shape.kind === "cell" ? 0.5 : 0.35);
    this.root.setAttribute("cx", spot.x);
    this.root.setAttribute("cy", spot.y);
    this.root.setAttribute("visibility", "visible");
  }

  badge(shape) {
    const used = Math.max(...shape.places.map((place) => (shape.kind === "sender" ? this.host(place).special : this.specialAt(place))));
    if (!used || (shape.kind === "sender" && shape.element.getTotalLength() < 2 * BADGE)) return;  // it would hide its neighbours
    if (shape.kind === "link" && shape.places.some((place) => this.rootShown(place))) return;
    const spot = this.middle(shape, shape.kind === "link" ? 0.6 : 0.5);
    add(this.badges, "circle", { class: "badge", cx: spot.x, cy: spot.y, r: BADGE });
    add(this.badges, "text", { class: "badge-text", x: spot.x, y: spot.y + 3.5, "font-size": 10 }, String(used));
  }

  list() {
    const longest = [];
    for (let place = 0; place < data.ports.length; place++) {
      const queue = this.queue(place);
      if (!queue || (longest.length === ROWS && longest[ROWS - 1].queue >= queue)) continue;
      longest.push({ place, queue });
      longest.sort((a, b) => b.queue - a.queue || a.place - b.place);
      longest.length = Math.min(longest.length, ROWS);
    }
    this.body.replaceChildren();
    for (let row = 0; row < ROWS; row++) {
      const line = add(this.body, "tr");
      const one = longest[row];
      const part = one && (this.run.roots[this.sample] === one.place ? "root" : this.wait(one.place) & TREE ? "yes" : "no");
      const cells = one ? [portName(one.place), size(one.queue), String(this.wait(one.place) & ~TREE), part] : ["–", "", "", ""];
      if (data.badges) cells.push(one ? String(this.specialAt(one.place)) : "");
      cells.forEach((text, column) => add(line, "td", { class: column === 1 || column === 2 || column === 4 ? "n" : "", title: text }, text));
    }
  }

  // Text of a shape at the moment.
  tell(shape) {
    if (shape.kind === "received" || shape.kind === "sender") {
      const [own, port] = data.hosts[shape.places[0]];
      const { gbps, waited, special } = this.host(shape.places[0]);
      return [
        `${data.names[own]}/${port}`,
        `receives ${gbps.toFixed(2)} Gb/s`,
        `waits for credits ${waited & ~TREE} % of the interval`,
        this.special === null ? "" : `special queues in use at its switch: ${special}`,
      ].filter(Boolean).join("\n");
    }
    const place = shape.places.reduce((best, one) => (this.queue(one) > this.queue(best) ? one : best));
    const others = shape.places.length - 1;
    return [
      portName(place),
      `queues ${size(this.queue(place))}`,
      `waits for credits ${this.wait(place) & ~TREE} % of the interval`,
      this.run.roots[this.sample] === place ? "root of the deepest tree" : this.wait(place) & TREE ? "belongs to the deepest tree" : "",
      this.special === null ? "" : `special queues in use at its far end: ${this.specialAt(place)}`,
      others ? `the longest queue of ${others + 1} ports that are drawn as one` : "",
    ].filter(Boolean).join("\n");
  }
}

const slider = document.getElementById("time");
const play = document.getElementById("play");
const now = document.getElementById("now");
const last = data.t_ms.length - 1;
const panels = data.runs.map((run) => new Panel(run, document.getElementById("runs")));
const cursor = drawCurve(document.getElementById("curve"));
let timer = null;
let hovered = null;

// Total throughput over time, above which the cursor stands.
function drawCurve(svg) {
  const top = Math.max(...data.runs.flatMap((run) => run.total_gbps)) || 1;
  const x = (sample) => (last ? (1000 * sample) / last : 500);
  add(svg, "path", { class: "axis", d: "M0,89L1000,89" });
  data.runs.forEach((run, number) => {
    const points = run.total_gbps.map((gbps, sample) => `${x(sample).toFixed(1)},${(88 - (84 * gbps) / top).toFixed(1)}`);
    add(svg, "path", { class: `total n${number % DASHES.length}`, d: `M${points.join("L")}` });
  });
  const named = data.runs.map((run, number) => `${DASHES[number % DASHES.length]}: ${run.name}`).join("; ");
  document.getElementById("curve-text").textContent = `All hosts together receive, 0 to ${top.toLocaleString("en", { maximumFractionDigits: 1 })} Gb/s (${named})`;
  return { x, line: add(svg, "path", { class: "cursor" }) };
}

function show(sample) {
  slider.value = String(Math.min(last, Math.max(0, sample)));
  const at = Number(slider.value);
  const text = `${Number(data.t_ms[at].toPrecision(6))} ms`;
  now.textContent = text;
  slider.setAttribute("aria-valuetext", text);
  cursor.line.setAttribute("d", `M${cursor.x(at)},0L${cursor.x(at)},90`);
  for (const panel of panels) panel.show(at);
  if (hovered) tell();
}

function pause() {
  clearInterval(timer);
  timer = null;
  play.textContent = "Play";
  for (const panel of panels) panel.moment.setAttribute("aria-live", "polite");
}

function toggle() {
  if (timer !== null) return pause();
  if (Number(slider.value) === last) show(0);
  play.textContent = "Pause";
  for (const panel of panels) panel.moment.setAttribute("aria-live", "off");
  timer = setInterval(() => {
    show(Number(slider.value) + 1);
    if (Number(slider.value) === last) pause();
  }, Math.max(60, PLAYS_MS / (last + 1)));
}

function tell() {
  document.getElementById("tip").textContent = hovered.panel.tell(hovered.shape);
}

const tip = document.getElementById("tip");
for (const panel of panels) {
  panel.map.addEventListener("pointermove", (event) => {
    const number = event.target.dataset?.shape;
    hovered = number === undefined ? null : { panel, shape: panel.shapes[Number(number)] };
    tip.hidden = hovered === null;
    if (!hovered) return;
    tell();
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  });
  panel.map.addEventListener("pointerleave", () => {
    hovered = null;
    tip.hidden = true;
  });
}
slider.addEventListener("input", () => show(Number(slider.value)));
play.addEventListener("click", toggle);
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === " ") {
    if (event.target === play) return;  // it is pressed by the space bar anyway
    event.preventDefault();
    return toggle();
  }
  // The slider itself knows the other keys; elsewhere they scroll the page.
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  show(Number(slider.value) + step);
});
show(0);
