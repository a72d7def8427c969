// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The names in the drawing and the titles of its levels, of the same size at every zoom. Nodes say their names to screen readers. */

import { memo } from "react";
import { count } from "@/format/quantity";
import type { Drawing } from "@/pages/fabric/layout";
import type { Box } from "@/pages/fabric/pan_zoom";
import { FONT, type Label, LINE } from "@/pages/fabric/place_labels";

interface Props {
  /** In pixels from the view's corner. */
  labels: Label[];
  drawing: Drawing;
  view: Box;
  /** The drawing's units a pixel. */
  unit: number;
}

export const MapLabels = memo(function MapLabels({ labels, drawing, view, unit }: Props) {
  const x = (pixels: number) => view.x + pixels * unit;
  const y = (pixels: number) => view.y + pixels * unit;
  return (
    <g fontSize={FONT * unit} strokeWidth={3.5 * unit}>
      {labels.map(
        ({ id, x: at, y: below, line }) =>
          line > 0 && (
            <line
              key={`${id} line`}
              className="leader"
              x1={x(at)}
              x2={x(at)}
              y1={y(below - FONT - line * LINE)}
              y2={y(below - FONT + 2)}
              strokeWidth={unit}
            />
          ),
      )}
      {labels.map(({ id, text, x: at, y: below }) => (
        <text key={id} className="name" x={x(at)} y={y(below)} textAnchor="middle">
          {text}
        </text>
      ))}
      {drawing.levels.map(({ kind, level, y: middle, count: all }) => (
        <text key={`${kind} ${level}`} className="level-name" x={x(10)} y={middle - 22 * unit}>
          {levelName(kind, all)}
        </text>
      ))}
    </g>
  );
});

/** "2 leaf switches", "648 hosts", "4 switches that reach no host": these may have links among themselves. */
export function levelName(kind: string, all: number): string {
  if (kind === "unconnected") return count(all, "switch that reaches no host", "switches that reach no host");
  return kind === "hosts" ? count(all, "host") : count(all, `${kind} switch`, `${kind} switches`);
}
