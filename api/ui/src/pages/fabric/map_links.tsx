// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The links of the drawing, wider with more cables and with congestion; and a path along them. */

import { memo } from "react";
import type { Picture } from "@/api/types";
import { heat } from "@/charts/palette";
import type { Drawing } from "@/pages/fabric/layout";
import { wayOf } from "@/pages/fabric/link_way";

interface Props {
  links: Picture["links"];
  drawing: Drawing;
  dark: boolean;
}

export const MapLinks = memo(function MapLinks({ links, drawing, dark }: Props) {
  return (
    <g>
      {links.map((link) => {
        const [from, to] = [drawing.at.get(link.a), drawing.at.get(link.b)];
        if (!from || !to) return null;
        return <MapLink key={`${link.a} ${link.b}`} link={link} way={wayOf(from, to, drawing)} dark={dark} />;
      })}
    </g>
  );
});

interface LinkProps {
  link: Picture["links"][number];
  way: string;
  dark: boolean;
}

const MapLink = memo(function MapLink({ link: { congestion, count: cables, down }, way, dark }: LinkProps) {
  const known = congestion !== null && congestion !== undefined;
  return (
    <path
      d={way}
      className={["link", known ? "" : "unknown", down > 0 ? "down" : ""].filter(Boolean).join(" ")}
      stroke={known ? heat(congestion, dark) : undefined}
      strokeDasharray={down === 0 ? undefined : down === cables ? "2 5" : "10 3"}
      strokeWidth={(1 + Math.min(2, Math.log2(cables) / 3)) * (known ? 1 + 2.5 * congestion : 1)}
    />
  );
});

/** `along`: ids of the nodes on the path, as they follow. Each hop has an arrow in its middle. */
export function MapPath({ along, drawing }: { along: readonly string[]; drawing: Drawing }) {
  const at = along.flatMap((id) => drawing.at.get(id) ?? []);
  const hops = at.slice(1).flatMap((to, i) => {
    const from = at[i];
    return from && from !== to ? [{ from, to }] : [];
  });
  return (
    <g className="path">
      <defs>
        <marker id="path-arrow" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="4" markerHeight="4" orient="auto">
          <path d="M0 0L10 5L0 10z" />
        </marker>
      </defs>
      {hops.map(({ from, to }) => {
        const way = wayOf(from, to, drawing);
        return (
          <g key={`${from.node.id} ${to.node.id}`}>
            <path d={way} className="casing" />
            <path d={way} className="way" markerMid="url(#path-arrow)" />
          </g>
        );
      })}
    </g>
  );
}
