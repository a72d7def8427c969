// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * Which names are shown, and where, so that none covers another: of each level the longest form of which the most find room. All
 * sizes are pixels of the screen, whatever the zoom: the closer one looks, the more names there are, and the longer they are.
 */

export interface Labelled {
  id: string;
  x: number;
  y: number;
  radius: number;
  /** The longest first. */
  forms: string[];
  /** Shown before all others of its level. */
  first: boolean;
}

export interface Label {
  id: string;
  text: string;
  /** Middle of the text. */
  x: number;
  /** Baseline. */
  y: number;
  /** Line below the node, from 0. */
  line: number;
}

export const FONT = 12;
export const LINE = 15;
/** Room that a name keeps on each side. */
const GAP = 5;
const MOST_LINES = 3;
/** Pixels between a node and its name. */
const SPACE = 4;
/** A level's title stands above its nodes. */
export const TITLE = 20;

/**
 * `levels`: the nodes in view by level, from the top, each from left to right. `room`: pixels between a level's nodes and the next
 * level's. `width`, `height`: pixels of the view, which names stay within. `measure`: width of a text in pixels.
 */
export function placeLabels(
  levels: Labelled[][],
  { room, width, height }: { room: number; width: number; height: number },
  measure: (text: string) => number,
): Label[] {
  return levels.flatMap((nodes, i) => {
    const radius = Math.max(0, ...nodes.map((node) => node.radius));
    const next = Math.max(0, ...(levels[i + 1] ?? []).map((node) => node.radius));
    const free = i + 1 < levels.length ? room - radius - next - TITLE - 4 : MOST_LINES * LINE;
    const lowest = Math.max(0, ...nodes.map((node) => node.y));
    const lines = Math.min(MOST_LINES, Math.floor(Math.min(free, height - lowest - radius - SPACE) / LINE));
    return lines > 0 ? ofLevel(nodes, { radius, lines, width, measure }) : [];
  });
}

interface Room {
  radius: number;
  lines: number;
  width: number;
  measure: (text: string) => number;
}

/** Price of a further line, in steps from a form to the next shorter one. */
const LINE_PRICE = 0.8;

/** The forms by number and the lines that they may take, the best first. The whole names are worth one line. */
function choices(steps: number, lines: number): { step: number; lines: number }[] {
  const all = Array.from({ length: steps * lines }, (_, i) => ({ step: Math.floor(i / lines), lines: (i % lines) + 1 }));
  const price = (one: { step: number; lines: number }) => one.step + LINE_PRICE * (one.lines - 1);
  return all.filter((one) => one.step > 0 || one.lines === 1 || steps === 1).sort((a, b) => price(a) - price(b));
}

function ofLevel(nodes: Labelled[], room: Room): Label[] {
  const steps = Math.max(0, ...nodes.map(({ forms }) => forms.length));
  let best: Label[] = [];
  for (const { step, lines } of choices(steps, room.lines)) {
    const found = ofStep(nodes, step, { ...room, lines });
    if (found.length === nodes.length) return found;
    // A better form is worth more than a few more names; not than many.
    if (found.length > best.length * 1.15) best = found;
  }
  return best;
}

function ofStep(nodes: Labelled[], step: number, { radius, lines, width, measure }: Room): Label[] {
  const taken: [number, number][][] = Array.from({ length: lines }, () => []);
  const found: Label[] = [];
  const order = [...nodes.filter(({ first }) => first), ...nodes.filter(({ first }) => !first)];
  for (const { id, x: middle, y, forms, first } of order) {
    // The one that is looked for keeps a long form.
    const text = forms[Math.min(first ? Math.min(step, 1) : step, forms.length - 1)] ?? "";
    if (text === "") continue;
    const half = measure(text) / 2 + GAP;
    const x = Math.max(half, Math.min(width - half, middle));
    const line = taken.findIndex((spans) => spans.every(([from, to]) => x + half <= from || to <= x - half));
    if (line < 0) continue;
    taken[line]?.push([x - half, x + half]);
    found.push({ id, text, x, y: y + radius + SPACE + FONT + line * LINE, line });
  }
  return found;
}
