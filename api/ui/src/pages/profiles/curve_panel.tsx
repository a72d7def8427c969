// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The congestion control table of a profile, drawn while it is edited, and its effect on a flow. */

import { useCallback } from "react";
import type { CurvePoint } from "@/api/types";
import { cctCurve, delay, hasUs } from "@/charts/cct_curve";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { percent, quantity } from "@/format/quantity";
import { asSentence } from "@/pages/profiles/parameter_input";

interface Props {
  name: string;
  curve: CurvePoint[];
  before?: CurvePoint[];
  beforeName?: string;
  /** The number of contributors for which it suffices, as the service says it. */
  reach?: string | null;
}

/** The share of the link that a flow gets at an index: 1 / (1 + IRD in packet times). */
export function shareAt(point: CurvePoint): number {
  return 1 / (1 + delay(point, false));
}

export function CurvePanel({ name, curve, before, beforeName = "before", reach }: Props) {
  const curves =
    before && before.length > 0
      ? [
          { name, points: curve },
          { name: beforeName, points: before },
        ]
      : [{ name, points: curve }];
  const key = JSON.stringify(curves);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the curves' contents are the key
  const option = useCallback((ink: Ink) => cctCurve(curves, ink), [key]);
  const last = curve.at(-1);
  if (!last) return <div className="empty">The table is drawn once the profile is valid.</div>;
  const inUs = hasUs([{ name, points: curve }]);
  return (
    <section className="panel" aria-label="Congestion control table">
      <h2>Congestion control table</h2>
      <Chart
        size="low"
        label={`Injection rate delay over CCTI 0 to ${last.ccti}`}
        option={option}
        caption={
          <>
            IRD: the pause after each packet. At CCTI {last.ccti} it is{" "}
            {quantity(delay(last, inUs), inUs ? "µs" : "packet times")}, which leaves a flow {percent(shareAt(last), 1)} of its
            link.
            {reach ? ` ${asSentence(reach)}` : ""}
          </>
        }
        table={() => ({
          columns: ["ccti", inUs ? "ird_us" : "ird_packet_times", "shift", "multiplier", "share"],
          rows: curve.map((point) => [
            point.ccti,
            delay(point, inUs),
            point.shift,
            point.multiplier,
            Number(shareAt(point).toPrecision(4)),
          ]),
        })}
        file="cct"
      />
    </section>
  );
}
