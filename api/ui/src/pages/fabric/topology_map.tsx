// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * A fabric by levels of its tree, with congestion as color and link width, and a sign at devices to look at. It is SVG, since the
 * keyboard must reach every node and screen readers must name it; the service collapses more than some hundred nodes into groups.
 */

import "@/pages/fabric/topology.css";
import { ActionIcon, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Picture, TopologyNode } from "@/api/types";
import { type Drawing, isChosen, lay, nearest, neighbour, type Placed, radiusOf } from "@/pages/fabric/layout";
import { levelName, MapLabels } from "@/pages/fabric/map_labels";
import { MapLinks, MapPath } from "@/pages/fabric/map_links";
import { MapNodes, type NodeActions } from "@/pages/fabric/map_nodes";
import { type Box, seen, usePanZoom } from "@/pages/fabric/pan_zoom";
import { FONT, type Label, placeLabels } from "@/pages/fabric/place_labels";
import { shortNames } from "@/pages/fabric/short_names";
import { textMeasure } from "@/pages/fabric/text_width";

/** Room in pixels for each node of its level, at least, around a node that is looked for. */
const CLOSE_UP = 90;

const NONE: readonly string[] = [];

interface Props {
  topology: Picture;
  chosen: string | null;
  /** A node to bring into the middle; another object centres again. */
  centre?: { id: string } | null;
  /** Ids of the nodes on a path, as they follow. */
  path?: readonly string[];
  onChoose: (node: TopologyNode) => void;
}

export function TopologyMap({ topology, chosen, centre = null, path = NONE, onChoose }: Props) {
  const { ref: box, width, height } = useElementSize();
  const drawing = useMemo(() => lay(topology, Math.max(300, width), height), [topology, width, height]);
  const dark = useComputedColorScheme("light") === "dark";
  const [focused, setFocused] = useState<string | null>(null);
  const pan = usePanZoom(drawing.width, drawing.height);
  const { unit, view } = seen(pan.box, width, height);
  const names = useNames(topology);
  const onPath = useMemo(() => new Set(path), [path]);
  const labels = useLabels(drawing, names, view, unit, (id) => {
    const node = drawing.at.get(id)?.node;
    return id === focused || onPath.has(id) || (node !== undefined && (isChosen(node, chosen) || node.marks.length > 0));
  });
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
  const centred = useRef<object | null>(null);
  useEffect(() => {
    const wanted = centre && drawing.at.get(centre.id);
    if (!wanted || width === 0 || centred.current === centre) return;
    centred.current = centre;
    if (wanted.room < CLOSE_UP) pan.centre(wanted.x, wanted.y, (drawing.width * wanted.room) / CLOSE_UP);
  }, [centre, drawing, width, pan.centre]);

  const current = useRef({ drawing, onChoose, pan });
  current.current = { drawing, onChoose, pan };
  const actions = useMemo(
    (): NodeActions => ({
      keep: (id, element) => {
        if (element) elements.current.set(id, element);
        else elements.current.delete(id);
      },
      focus: (id) => {
        last.current = current.current.drawing.at.get(id) ?? null;
        setFocused(id);
      },
      key: (event, id) => {
        const { drawing: drawn, onChoose: choose, pan: moving } = current.current;
        const from = drawn.at.get(id);
        if (!from) return;
        if (event.key === "Enter" || event.key === " ") choose(from.node);
        else if (event.key === "+" || event.key === "-") moving.zoom(event.key === "+" ? 1 / 1.4 : 1.4);
        else if (event.key === "0") moving.fit();
        else {
          const next = neighbour(drawn, from, event.key);
          if (!next) return;
          elements.current.get(next.node.id)?.focus();
        }
        event.preventDefault();
      },
      choose: (id) => {
        const from = current.current.drawing.at.get(id);
        if (from && !current.current.pan.moved()) current.current.onChoose(from.node);
      },
    }),
    [],
  );
  return (
    <div className="topology" ref={box}>
      <svg
        ref={pan.ref}
        viewBox={`${pan.box.x} ${pan.box.y} ${pan.box.w} ${pan.box.h}`}
        className={pan.dragging ? "dragging" : undefined}
        role="application"
        aria-label={`Topology by levels: ${drawing.levels.map(({ kind, count }) => levelName(kind, count)).join(", ")}. Arrow keys move between nodes, Enter selects one, plus, minus and 0 zoom.`}
        {...pan.handlers}
      >
        <MapLinks links={topology.links} drawing={drawing} dark={dark} />
        <MapPath along={path} drawing={drawing} />
        <MapNodes nodes={drawing.nodes} chosen={chosen} entry={entry} onPath={onPath} unit={unit} dark={dark} actions={actions} />
        <MapLabels labels={labels} drawing={drawing} view={view} unit={unit} />
      </svg>
      <div className="zoom">
        <ActionIcon variant="default" aria-label="Zoom in" onClick={() => pan.zoom(1 / 1.4)}>
          +
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Zoom out" onClick={() => pan.zoom(1.4)}>
          −
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Show all" onClick={pan.fit}>
          ⤢
        </ActionIcon>
      </div>
    </div>
  );
}

/** Forms of the names by id. They follow from the names, not from what else changes. */
function useNames(topology: Picture): Map<string, string[]> {
  const key = topology.levels.map(({ nodes }) => nodes.map(({ id, name }) => `${id} ${name}`).join("\n")).join("\n\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names' text is the key
  return useMemo(() => new Map(topology.levels.flatMap(({ nodes }) => [...shortNames(nodes)])), [key]);
}

/** Names that are in view, in pixels from the view's corner. */
function useLabels(
  drawing: Drawing,
  names: Map<string, string[]>,
  view: Box,
  unit: number,
  first: (id: string) => boolean,
): Label[] {
  const measure = useMemo(() => textMeasure(FONT), []);
  const levels = drawing.levels.map(({ nodes }) =>
    nodes
      .filter(({ x, y }) => x >= view.x && x <= view.x + view.w && y >= view.y && y <= view.y + view.h)
      .map(({ node, x, y, room }) => ({
        id: node.id,
        x: (x - view.x) / unit,
        y: (y - view.y) / unit,
        radius: radiusOf(node.kind, room / unit),
        forms: names.get(node.id) ?? [node.name],
        first: first(node.id),
      })),
  );
  return placeLabels(levels, { room: drawing.rowHeight / unit, width: view.w / unit, height: view.h / unit }, measure);
}
