// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * A fabric by levels of its tree, with congestion as color and link width. It is SVG, since the keyboard must reach every node and screen
 * readers must name it; the service collapses more than some hundred nodes into groups.
 */

import "@/pages/fabric/topology.css";
import { ActionIcon, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Topology } from "@/api/types";
import { heat } from "@/charts/palette";
import { count, percent } from "@/format/quantity";
import { type Drawing, isChosen, lay, nearest, neighbour, type Placed } from "@/pages/fabric/layout";
import { usePanZoom } from "@/pages/fabric/pan_zoom";

interface Props {
  topology: Topology;
  chosen: string | null;
  onChoose: (node: Placed["node"]) => void;
}

export function TopologyMap({ topology, chosen, onChoose }: Props) {
  const { ref: box, width, height } = useElementSize();
  const drawing = useMemo(() => lay(topology, Math.max(300, width), height), [topology, width, height]);
  const [focused, setFocused] = useState<string | null>(null);
  const view = usePanZoom(drawing.width, drawing.height);
  const elements = useRef(new Map<string, SVGGElement>());
  // One node takes the Tab key; the arrow keys move from there.
  const entry = drawing.at.get(focused ?? chosen ?? "")?.node.id ?? drawing.nodes[0]?.node.id;
  // Opening a group removes its node and the focus with it: the nearest of the parts takes the focus.
  const last = useRef<Placed | null>(null);
  useEffect(() => {
    const gone = last.current;
    if (!gone || drawing.at.has(gone.node.id) || document.activeElement !== document.body) return;
    const part = nearest(drawing, gone);
    if (part) elements.current.get(part.node.id)?.focus();
  }, [drawing]);
  const onKey = (event: KeyboardEvent, placed: Placed) => {
    if (event.key === "Enter" || event.key === " ") onChoose(placed.node);
    else {
      const next = neighbour(drawing, placed, event.key);
      if (!next) return;
      elements.current.get(next.node.id)?.focus();
    }
    event.preventDefault();
  };
  return (
    <div className="topology" ref={box}>
      <svg
        ref={view.ref}
        viewBox={view.viewBox}
        className={view.dragging ? "dragging" : undefined}
        role="application"
        aria-label="Topology by levels. Arrow keys move between nodes, Enter selects one."
        {...view.handlers}
      >
        <Links topology={topology} drawing={drawing} />
        {drawing.levels.map(({ kind, y, count: all }) => (
          <text key={kind} x={10} y={y - 30} className="level-name">
            {levelName(kind, all)}
          </text>
        ))}
        {drawing.nodes.map((placed) => (
          <Node
            key={placed.node.id}
            placed={placed}
            chosen={isChosen(placed.node, chosen)}
            tabbed={placed.node.id === entry}
            keep={(element) => {
              if (element) elements.current.set(placed.node.id, element);
              else elements.current.delete(placed.node.id);
            }}
            onFocus={() => {
              last.current = placed;
              setFocused(placed.node.id);
            }}
            onKey={(event) => onKey(event, placed)}
            onChoose={() => view.moved() || onChoose(placed.node)}
          />
        ))}
      </svg>
      <div className="zoom">
        <ActionIcon variant="default" aria-label="Zoom in" onClick={() => view.zoom(1 / 1.4)}>
          +
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Zoom out" onClick={() => view.zoom(1.4)}>
          −
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Show all" onClick={view.fit}>
          ⤢
        </ActionIcon>
      </div>
    </div>
  );
}

function Links({ topology, drawing }: { topology: Topology; drawing: Drawing }) {
  const dark = useComputedColorScheme("light") === "dark";
  const lines = useMemo(
    () =>
      topology.links.flatMap(({ a, b, count: cables, congestion }) => {
        const [from, to] = [drawing.at.get(a), drawing.at.get(b)];
        if (!from || !to) return [];
        const known = congestion !== null && congestion !== undefined;
        return [
          <line
            key={`${a} ${b}`}
            x1={from.x}
            y1={from.y}
            x2={to.x}
            y2={to.y}
            className={known ? "link" : "link unknown"}
            stroke={known ? heat(congestion, dark) : undefined}
            strokeWidth={(1 + Math.min(2, Math.log2(cables) / 3)) * (known ? 1 + 2.5 * congestion : 1)}
          />,
        ];
      }),
    [topology, drawing, dark],
  );
  return <g>{lines}</g>;
}

interface NodeProps {
  placed: Placed;
  chosen: boolean;
  tabbed: boolean;
  keep: (element: SVGGElement | null) => void;
  onFocus: () => void;
  onKey: (event: KeyboardEvent) => void;
  onChoose: () => void;
}

function Node({ placed, chosen, tabbed, keep, onFocus, onKey, onChoose }: NodeProps) {
  const { node, x, y, radius: r, label } = placed;
  const dark = useComputedColorScheme("light") === "dark";
  const known = node.congestion !== null && node.congestion !== undefined;
  const fill = known ? heat(node.congestion ?? 0, dark) : undefined;
  const className = known ? "body" : "body unknown";
  const own = useRef<SVGGElement>(null);
  useEffect(() => {
    keep(own.current);
    return () => keep(null);
  }, [keep]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML's button cannot stand in a drawing
    <g
      ref={own}
      className={chosen ? "node chosen" : "node"}
      role="button"
      tabIndex={tabbed ? 0 : -1}
      aria-label={describe(node)}
      aria-pressed={chosen}
      onFocus={onFocus}
      onKeyDown={onKey}
      onClick={onChoose}
    >
      <title>{describe(node)}</title>
      <circle cx={x} cy={y} r={r + 5} className="halo" />
      {node.kind === "group" && (
        <rect x={x - r + 4} y={y - r - 4} width={2 * r} height={2 * r} rx={4} className={className} fill={fill} />
      )}
      {node.kind === "host" ? (
        <circle cx={x} cy={y} r={r} className={className} fill={fill} />
      ) : (
        <rect x={x - r} y={y - r} width={2 * r} height={2 * r} rx={4} className={className} fill={fill} />
      )}
      {label && (
        <text x={x} y={y + r + 17} textAnchor="middle">
          {node.name.length > 14 ? `${node.name.slice(0, 13)}…` : node.name}
        </text>
      )}
    </g>
  );
}

/** "2 leaf switches", "648 hosts". */
function levelName(kind: string, all: number): string {
  return kind === "hosts" ? count(all, "host") : count(all, `${kind} switch`, `${kind} switches`);
}

function describe({ name, kind, count: n, congestion }: Placed["node"]): string {
  const what = kind === "group" ? `group of ${count(n, "device")}` : kind;
  return `${name}, ${what}, congestion ${congestion === null || congestion === undefined ? "unknown" : percent(congestion)}`;
}
