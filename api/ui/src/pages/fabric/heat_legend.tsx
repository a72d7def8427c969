// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The legend of the congestion colors: their scale, and whose congestion it is. */

import { SegmentedControl, useComputedColorScheme } from "@mantine/core";
import type { CongestionSource, MeasuredCc } from "@/api/types";
import { heat } from "@/charts/palette";
import { At } from "@/components/time";

const STEPS = 24;

const NAMES: Record<MeasuredCc, string> = { off: "CC off", published: "Published", recommended: "Recommended" };

export function HeatLegend({ source, onChoose }: { source: CongestionSource; onChoose: (cc: MeasuredCc) => void }) {
  const dark = useComputedColorScheme("light") === "dark";
  if (source.source === "none") {
    return (
      <p className="heat-legend">
        <span>
          <strong>Congestion is not known.</strong> {source.unread}
        </span>
      </p>
    );
  }
  return (
    <div className="heat-legend">
      <span>Congestion: none</span>
      <svg width={120} height={12} aria-hidden="true" className="scale">
        {Array.from({ length: STEPS }, (_, i) => (
          <rect key={i} x={(i * 120) / STEPS} width={120 / STEPS + 0.5} height={12} fill={heat(i / (STEPS - 1), dark)} />
        ))}
      </svg>
      <span>all of the time. Busier links are wider.</span>
      <span>
        <Source source={source} />
      </span>
      {source.choices.length > 1 && source.cc && (
        <SegmentedControl
          size="xs"
          aria-label="Profile whose congestion is shown"
          value={source.cc}
          onChange={(value) => onChoose(value as MeasuredCc)}
          data={source.choices.map(({ cc, is_base }) => ({
            value: cc,
            label: `${NAMES[cc]}${is_base ? " (base)" : ""}`,
          }))}
        />
      )}
    </div>
  );
}

function Source({ source }: { source: CongestionSource }) {
  const { profile, at, campaign, workload } = source;
  const when = at ? <At at={at} /> : "an unknown time";
  if (source.source === "logs") {
    return (
      <>
        From CongestionLogs, {profile ? `with profile ${profile} in force, ` : ""}read until {when}.
      </>
    );
  }
  return (
    <>
      Measured in the simulator with profile {profile}
      {workload ? `, workload ${workload}` : ""}
      {campaign ? `, by campaign ${campaign}` : ""}, at {when}.
    </>
  );
}
