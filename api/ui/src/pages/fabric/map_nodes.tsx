// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The nodes of the drawing: circles are hosts, squares switches, and doubled ones groups. */

import { type KeyboardEvent, memo, useEffect, useRef } from "react";
import type { TopologyNode } from "@/api/types";
import { heat } from "@/charts/palette";
import { count, percent } from "@/format/quantity";
import { isChosen, type Placed, radiusOf } from "@/pages/fabric/layout";
import { MarkSign, markWords, worstMark } from "@/pages/fabric/marks";

export interface NodeActions {
  keep: (id: string, element: SVGGElement | null) => void;
  focus: (id: string) => void;
  key: (event: KeyboardEvent, id: string) => void;
  choose: (id: string) => void;
}

interface Props {
  nodes: Placed[];
  chosen: string | null;
  /** The node that the Tab key reaches. */
  entry: string | undefined;
  /** Ids of the nodes on a path. */
  onPath: ReadonlySet<string>;
  /** The drawing's units a pixel. */
  unit: number;
  dark: boolean;
  /** The same at every drawing. */
  actions: NodeActions;
}

export const MapNodes = memo(function MapNodes({ nodes, chosen, entry, onPath, unit, dark, actions }: Props) {
  return (
    <g>
      {nodes.map(({ node, x, y, room }) => (
        <MapNode
          key={node.id}
          node={node}
          x={x}
          y={y}
          radius={radiusOf(node.kind, room / unit) * unit}
          unit={unit}
          chosen={isChosen(node, chosen)}
          tabbed={node.id === entry}
          passed={onPath.has(node.id)}
          dark={dark}
          actions={actions}
        />
      ))}
    </g>
  );
});

interface NodeProps {
  node: TopologyNode;
  x: number;
  y: number;
  radius: number;
  unit: number;
  chosen: boolean;
  tabbed: boolean;
  passed: boolean;
  dark: boolean;
  actions: NodeActions;
}

const MapNode = memo(function MapNode({ node, x, y, radius: r, unit, chosen, tabbed, passed, dark, actions }: NodeProps) {
  const known = node.congestion !== null && node.congestion !== undefined;
  const fill = known ? heat(node.congestion ?? 0, dark) : undefined;
  const mark = worstMark(node.marks);
  const gone = mark === "missing" && node.marked === node.count;
  const className = `${known ? "body" : "body unknown"}${gone ? " gone" : ""}`;
  const own = useRef<SVGGElement>(null);
  useEffect(() => {
    actions.keep(node.id, own.current);
    return () => actions.keep(node.id, null);
  }, [actions, node.id]);
  const square = (shift: number) => ({ x: x - r + shift, y: y - r - shift, width: 2 * r, height: 2 * r, rx: r / 4 });
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML's button cannot stand in a drawing
    <g
      ref={own}
      className={`node${chosen ? " chosen" : ""}${passed ? " passed" : ""}`}
      role="button"
      tabIndex={tabbed ? 0 : -1}
      aria-label={describe(node)}
      aria-pressed={chosen}
      onFocus={() => actions.focus(node.id)}
      onKeyDown={(event) => actions.key(event, node.id)}
      onClick={() => actions.choose(node.id)}
    >
      <title>{describe(node)}</title>
      <circle cx={x} cy={y} r={r + 5 * unit} className="halo" />
      {node.kind === "group" && <rect {...square(r / 4)} className={className} fill={fill} />}
      {node.kind === "host" ? (
        <circle cx={x} cy={y} r={r} className={className} fill={fill} />
      ) : (
        <rect {...square(0)} className={className} fill={fill} />
      )}
      {mark && <MarkSign mark={mark} x={x + r} y={y - r} scale={unit} />}
    </g>
  );
});

export function describe({ name, kind, count: n, congestion, marks, marked }: TopologyNode): string {
  const what = kind === "group" ? `group of ${count(n, "device")}` : kind;
  const load = congestion === null || congestion === undefined ? "unknown" : percent(congestion);
  const words = markWords(marks);
  return `${name}, ${what}, congestion ${load}${words ? `, ${kind === "group" ? `${count(marked, "device")}: ` : ""}${words}` : ""}`;
}
