// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What loop-back tests inside hosts found, as text. */

import type { Fleet, HostPaths, HostPathsRow } from "@/api/types";
import type { Tone } from "@/components/tag";
import { count } from "@/format/quantity";

type Verdict = HostPathsRow["verdict"];
type Link = HostPaths["links"][number];
type PathCell = HostPaths["cells"][number];

export const PATH_VERDICTS: { value: NonNullable<Verdict>; label: string; tone: Tone }[] = [
  { value: "normal", label: "normal", tone: "good" },
  { value: "slow", label: "slow", tone: "bad" },
  { value: "unfit", label: "busy or unfit", tone: "warn" },
  { value: "not-measured", label: "not measured", tone: "unknown" },
];

export function pathVerdictText(verdict: Verdict): string {
  return PATH_VERDICTS.find(({ value }) => value === verdict)?.label ?? "not tested";
}

export function pathVerdictTone(verdict: Verdict): Tone {
  return PATH_VERDICTS.find(({ value }) => value === verdict)?.tone ?? "plain";
}

/** "7 hosts: 5 normal, 1 slow, 1 not tested". Zeros are omitted. */
export function fleetText({ total, normal, slow, unfit, not_measured, untested }: Fleet["hosts"]): string {
  const parts: [number, string][] = [
    [normal, "normal"],
    [slow, "slow"],
    [unfit, "busy or unfit"],
    [not_measured, "not measured"],
    [untested, "not tested"],
  ];
  const shown = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [count(total, "host"), shown.join(", ")].filter(Boolean).join(": ");
}

/** Links worth a look: all that are not normal. Those that nothing was said about are left out. */
export function oddLinks(links: Link[]): Link[] {
  return links.filter(({ state, is_flapping }) => is_flapping || !["normal", "not-judged"].includes(state));
}

export function linkState({ state, is_flapping }: Link): { text: string; tone: Tone } {
  if (is_flapping) return { text: "flapping", tone: "bad" };
  if (state === "abnormal") return { text: "slow", tone: "bad" };
  if (state === "cannot-be-told-apart") return { text: "cannot be told apart", tone: "warn" };
  if (state === "grey") return { text: "grey", tone: "warn" };
  return state === "normal" ? { text: "normal", tone: "good" } : { text: "not judged", tone: "unknown" };
}

export function cellTone(cell: PathCell | undefined): "slow" | "good" | "open" | "none" {
  if (!cell || cell.bandwidth_gbps === null) return "none";
  if (cell.state === "abnormal") return "slow";
  return cell.state === "normal" ? "good" : "open";
}

/** Soft RoCE sends less than a tenth of a Gb/s. */
export function rateText(gbps: number): string {
  return gbps >= 1 ? gbps.toFixed(1) : String(Number(gbps.toPrecision(2)));
}

/** "socket 0, root port 0000:40:00.0". Of a device that is plugged into a root port, too. Null: tests from before said nothing. */
export function placeText(parts: HostPaths["parts"], name: string): string | null {
  const part = parts.find((known) => known.name === name);
  if (!part) return null;
  return [`socket ${part.socket}`, part.root_port && `root port ${part.root_port}`].filter(Boolean).join(", ");
}

/** Endpoints begin with the memories; GPUs follow. */
export function unmeasuredGpus({ gpus, endpoints, cells }: Pick<HostPaths, "gpus" | "endpoints" | "cells">): number {
  const measured = new Set(cells.map(({ endpoint }) => endpoint));
  return endpoints.slice(endpoints.length - gpus).filter((name) => !measured.has(name)).length;
}
