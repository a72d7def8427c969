// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a check says of a host, in words and numbers. */

import type { Host, HostsCheck } from "@/api/types";
import type { Tone } from "@/components/tag";
import { count } from "@/format/quantity";

type Verdict = Host["verdict"];

export const VERDICTS: { value: NonNullable<Verdict>; label: string; tone: Tone }[] = [
  { value: "ready", label: "ready", tone: "good" },
  { value: "to_mend", label: "to mend", tone: "bad" },
  { value: "unreachable", label: "not reached", tone: "bad" },
];

export function verdictText(verdict: Verdict): string {
  return VERDICTS.find(({ value }) => value === verdict)?.label ?? "not checked";
}

export function verdictTone(verdict: Verdict): Tone {
  return VERDICTS.find(({ value }) => value === verdict)?.tone ?? "plain";
}

/** Nanoseconds as milliseconds. */
export function milliseconds(ns: number | null | undefined): number | null {
  return ns === null || ns === undefined ? null : ns / 1e6;
}

/** An offset with its sign, to the microsecond: that is what round trips through a network can tell. */
export function offsetText(ns: number | null | undefined): string {
  const ms = milliseconds(ns);
  return ms === null ? "–" : `${ms < 0 ? "−" : "+"}${Math.abs(ms).toFixed(3)}`;
}

export function uncertaintyText(ns: number | null | undefined): string {
  const ms = milliseconds(ns);
  return ms === null ? "–" : `±\u00a0${ms.toFixed(3)}`;
}

/** "7 hosts: 5 ready, 1 to mend, 1 not reached". What there is none of is left out. */
export function countsText({ total, ready, to_mend, unreachable, unchecked }: HostsCheck["hosts"]): string {
  const parts: [number, string][] = [
    [ready, "ready"],
    [to_mend, "to mend"],
    [unreachable, "not reached"],
    [unchecked, "not checked"],
  ];
  const told = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [count(total, "host"), told.join(", ")].filter(Boolean).join(": ");
}
