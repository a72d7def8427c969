// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Marks of devices: each has a word, a sign of its own shape, and a sentence. */

import type { Mark } from "@/api/types";
import { Tag } from "@/components/tag";

/** `sign`: a path in a square of 10 by 10, with the middle at 0. */
export const MARKS: Record<Mark, { word: string; sign: string; meaning: string }> = {
  missing: { word: "missing", sign: "M-3-3L3 3M3-3L-3 3", meaning: "in the wiring, and not on the fabric" },
  new: { word: "new", sign: "M0-3.5V3.5M-3.5 0H3.5", meaning: "on the fabric, and not in the wiring" },
  "timing-out": { word: "not responding", sign: "M0-3.2V0.4M0 2.9V3.1", meaning: "sends no reply to MADs" },
  drifted: { word: "drifted", sign: "M-3.5-1.3H3.5M-3.5 1.3H3.5M1.6-3.8L-1.6 3.8", meaning: "holds other values than wanted" },
  "not-ready": { word: "not ready", sign: "M-3-3H3L-3 3H3Z", meaning: "OpenSM has not brought its port up" },
  flapping: { word: "flapping", sign: "M-4 0L-2-3L0 3L2-3L4 0", meaning: "comes and goes again and again" },
  "not-cabled-as-imported": {
    word: "not cabled as imported",
    sign: "M-3.5-1.8H3M1-3.8L3-1.8M3.5 1.8H-3M-1 3.8L-3 1.8",
    meaning: "its links lead elsewhere than the wiring says",
  },
};

const ORDER: Mark[] = ["missing", "timing-out", "drifted", "not-ready", "flapping", "not-cabled-as-imported", "new"];

/** The most serious of the marks. */
export function worstMark(marks: readonly Mark[]): Mark | undefined {
  return ORDER.find((mark) => marks.includes(mark));
}

export function markWords(marks: readonly Mark[]): string {
  return ORDER.filter((mark) => marks.includes(mark))
    .map((mark) => MARKS[mark].word)
    .join(", ");
}

/** A sign in the drawing; `scale`: its units a pixel. */
export function MarkSign({ mark, x, y, scale }: { mark: Mark; x: number; y: number; scale: number }) {
  return (
    <g className="mark" transform={`translate(${x} ${y}) scale(${scale})`}>
      <circle r={6.5} />
      <path d={MARKS[mark].sign} />
    </g>
  );
}

/** Marks in a row of a table. */
export function Marks({ marks }: { marks: readonly Mark[] }) {
  return (
    <span className="row">
      {ORDER.filter((mark) => marks.includes(mark)).map((mark) => (
        <Tag
          key={mark}
          state={mark}
          tone={mark === "new" ? "plain" : mark === "missing" ? "bad" : "warn"}
          text={MARKS[mark].word}
        />
      ))}
    </span>
  );
}

/** The signs that are in the drawing, and what they mean. */
export function MarkLegend({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  return (
    <ul className="mark-legend" aria-label="Marks">
      {ORDER.filter((mark) => marks.includes(mark)).map((mark) => (
        <li key={mark}>
          <svg width={16} height={16} viewBox="-8 -8 16 16" aria-hidden="true" className="topology-mark">
            <MarkSign mark={mark} x={0} y={0} scale={1} />
          </svg>
          <span>
            {MARKS[mark].word}: {MARKS[mark].meaning}
          </span>
        </li>
      ))}
    </ul>
  );
}
