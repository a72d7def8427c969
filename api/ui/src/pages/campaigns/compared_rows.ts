// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Values of several trials, side by side. */

import type { FlowSeries, TrialDetail } from "@/api/types";

/** Trials that fit beside each other. */
export const MOST = 4;

/** The numbers in an address such as `?trials=3,17`; each once. */
export function chosenTrials(text: string | null): number[] {
  const numbers = (text ?? "").split(",").filter((part) => /^\d{1,9}$/.test(part));
  return [...new Set(numbers.map(Number))].slice(0, MOST);
}

export interface Row {
  name: string;
  /** One a trial; null where a trial has none. */
  values: unknown[];
}

export function rowsOf(trials: TrialDetail[], read: (trial: TrialDetail) => Record<string, unknown>): Row[] {
  const names = [...new Set(trials.flatMap((trial) => Object.keys(read(trial))))];
  return names
    .map((name) => ({ name, values: trials.map((trial) => read(trial)[name] ?? null) }))
    .filter(({ values }) => values.some((value) => typeof value !== "object" && value !== null));
}

export function differing(rows: Row[]): Row[] {
  return rows.filter(({ values }) => values.some((value) => value !== values[0]));
}

/** The mean throughput of each role's flows over time, in the trial's first measurement. The chart adds that a flow is a victim. */
export function totals({ number, measurements }: TrialDetail): FlowSeries[] {
  const flows = measurements[0]?.flows ?? [];
  return [...new Set(flows.map(({ role }) => role))].map((role) => {
    const own = flows.filter((flow) => flow.role === role);
    const series = (own[0]?.series ?? []).map(({ t_s }, i) => ({
      t_s,
      gbps: own.reduce((sum, flow) => sum + (flow.series[i]?.gbps ?? 0), 0) / own.length,
    }));
    const mean_gbps = own.reduce((sum, flow) => sum + flow.mean_gbps, 0) / own.length;
    return { name: role === "victim" ? `Trial ${number}` : `Trial ${number} ${role}`, src: "", dst: "", role, mean_gbps, series };
  });
}
