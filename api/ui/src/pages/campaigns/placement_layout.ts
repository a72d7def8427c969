// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Positions of hosts, links and flows in the drawing of a placement: senders left, shared links in the middle, receivers right. */

import type { PlannedFlow, PlannedWorkload } from "@/api/types";
import { count } from "@/format/quantity";

export const WIDTH = 760;
export const ROW = 24;
const TOP = 14;
/** Senders and receivers that are drawn; the table has all. */
const MOST_ROWS = 16;
/** Characters of a link's name that there is room for. */
const MOST_LINK = 28;

export interface Spot {
  key: string;
  y: number;
  name: string;
  role: "contributor" | "victim" | "other" | "hotspot";
}

export interface Line {
  key: string;
  role: PlannedFlow["role"];
  from: number;
  to: number;
  /** Height at which it passes the middle. */
  via: number;
}

export interface Layout {
  height: number;
  senders: Spot[];
  receivers: Spot[];
  links: { key: string; y: number; text: string }[];
  lines: Line[];
  /** Flows that are not drawn. */
  left: number;
}

/** Victims are drawn first, then who shares links with them, then all others. */
export function layoutOf({ flows, shared, hotspots }: PlannedWorkload): Layout {
  const sharers = new Set(shared.flatMap(({ contributors }) => contributors));
  const victims = new Set(shared.map(({ flow }) => flow));
  const rank = ({ flow, role }: PlannedFlow) => (victims.has(flow) || role === "victim" ? 0 : sharers.has(flow) ? 1 : 2);
  // An answer of a ping-pong goes the way of its request.
  const asked = flows.filter(({ flow }) => !/-answer-\d+$/.test(flow));
  const drawn = [...asked].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS);
  const senders = drawn.map(
    (flow, i): Spot => ({ key: flow.flow, y: TOP + i * ROW, name: flow.src_name, role: roleOf(flow, victims) }),
  );
  const ends = [...new Map(drawn.map((flow) => [flow.dst, flow])).values()];
  const gap = ends.length > 1 ? Math.min(3 * ROW, ((drawn.length - 1) * ROW) / (ends.length - 1)) : 0;
  const first = TOP + ((drawn.length - 1) * ROW - gap * (ends.length - 1)) / 2;
  const receivers = ends.map(
    (flow, i): Spot => ({
      key: flow.dst,
      y: first + i * Math.max(gap, ends.length > 1 ? ROW : 0),
      name: flow.dst_name,
      role: hotspots.includes(flow.dst) ? "hotspot" : roleOf(flow, victims),
    }),
  );
  const first_shared = shared[0];
  const over = drawn
    .map(({ flow }, i) => ({ flow, i }))
    .filter(({ flow }) => rank(drawn.find((one) => one.flow === flow) as PlannedFlow) < 2);
  const y = over.length > 0 ? TOP + (over.reduce((sum, { i }) => sum + i, 0) / over.length) * ROW : TOP;
  const only = shared.length === 1 && first_shared?.links.length === 1 ? first_shared.links[0] : undefined;
  const text = only && only.length <= MOST_LINK ? only : count(new Set(shared.flatMap((one) => one.links)).size, "shared link");
  const links = first_shared ? [{ key: "shared", y, text }] : [];
  const at = new Map(receivers.map((spot) => [spot.key, spot.y]));
  const lines = drawn.map((flow, i): Line => {
    const from = TOP + i * ROW;
    const to = at.get(flow.dst) ?? from;
    return {
      key: flow.flow,
      role: roleOf(flow, victims),
      from,
      to,
      via: rank(flow) < 2 && links.length > 0 ? y : Math.max(from, y + ROW),
    };
  });
  const lowest = Math.max(...senders.map((spot) => spot.y), ...receivers.map((spot) => spot.y), y);
  return { height: lowest + TOP + 4, senders, receivers, links, lines, left: asked.length - drawn.length };
}

function roleOf({ flow, role }: PlannedFlow, victims: Set<string>): "contributor" | "victim" | "other" {
  if (role === "contributor" || role === "victim") return role;
  return victims.has(flow) ? "victim" : "other";
}

/** The name without its middle, if it is too long to be drawn. */
export function shortened(name: string, most: number): string {
  const characters = [...name];
  if (characters.length <= most) return name;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}
