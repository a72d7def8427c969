// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A small drawing of who sends to whom, and over which shared link. The table beside it has the same as text. */

import type { PlannedWorkload } from "@/api/types";
import { count } from "@/format/quantity";
import { type Layout, layoutOf, ROW, type Spot, shortened, WIDTH } from "@/pages/campaigns/placement_layout";

const NAME = 190;
const MIDDLE = WIDTH / 2;
const LINK = 210;
const MOST_NAME = 24;

export function PlacementMap({ workload }: { workload: PlannedWorkload }) {
  const layout = layoutOf(workload);
  const { contributors = [], links = [] } = workload.shared[0] ?? {};
  const label = `${workload.shared[0]?.flow ?? ""} shares ${links.join(", ")} with ${contributors.join(", ")}`;
  return (
    <div className="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section className="table-box" tabIndex={0} aria-label={`Drawing of ${workload.workload}`}>
        <svg
          className="placement"
          viewBox={`0 0 ${WIDTH} ${layout.height}`}
          width={WIDTH}
          height={layout.height}
          role="img"
          aria-label={label}
        >
          <Lines layout={layout} />
          {layout.links.map(({ key, y, text }) => (
            <g key={key}>
              <rect className="link" x={MIDDLE - LINK / 2} y={y - ROW / 2 + 2} width={LINK} height={ROW - 4} rx={4} />
              <text x={MIDDLE} y={y + 4} textAnchor="middle">
                <title>{links.join(", ")}</title>
                {text}
              </text>
            </g>
          ))}
          {layout.senders.map((spot) => (
            <Host key={spot.key} spot={spot} x={0} />
          ))}
          {layout.receivers.map((spot) => (
            <Host key={spot.key} spot={spot} x={WIDTH - NAME} />
          ))}
        </svg>
      </section>
      <p className="small soft">
        Solid: contributors. Dashed: victims. Thick frame: the hotspot.
        {layout.left > 0 && ` ${count(layout.left, "more flow")} in the table.`}
      </p>
    </div>
  );
}

function Lines({ layout }: { layout: Layout }) {
  return layout.lines.map(({ key, role, from, to, via }) => {
    const [left, right] = [MIDDLE - LINK / 2, MIDDLE + LINK / 2];
    const bend = (left - NAME) / 2;
    const before = `M ${NAME} ${from} C ${NAME + bend} ${from} ${left - bend} ${via} ${left} ${via}`;
    const after = `L ${right} ${via} C ${right + bend} ${via} ${WIDTH - NAME - bend} ${to} ${WIDTH - NAME} ${to}`;
    return <path key={key} className={`flow ${role}`} d={`${before} ${after}`} />;
  });
}

function Host({ spot, x }: { spot: Spot; x: number }) {
  return (
    <g>
      <rect className={`host ${spot.role}`} x={x + 1} y={spot.y - ROW / 2 + 2} width={NAME - 2} height={ROW - 4} rx={4} />
      <text x={x + 8} y={spot.y + 4}>
        <title>{spot.name}</title>
        {shortened(spot.name, MOST_NAME)}
      </text>
    </g>
  );
}
