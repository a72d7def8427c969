// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The legend of the congestion colors. */

import { useComputedColorScheme } from "@mantine/core";
import { heat } from "@/charts/palette";

const STEPS = 24;

export function HeatLegend() {
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <div className="heat-legend">
      <span>Congestion: none</span>
      <svg width={120} height={12} aria-hidden="true" className="scale">
        {Array.from({ length: STEPS }, (_, i) => (
          <rect key={i} x={(i * 120) / STEPS} width={120 / STEPS + 0.5} height={12} fill={heat(i / (STEPS - 1), dark)} />
        ))}
      </svg>
      <span>all of the time. Busier links are wider; gray means unknown.</span>
    </div>
  );
}
