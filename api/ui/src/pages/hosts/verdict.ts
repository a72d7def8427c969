// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The result of a host check, as text. */

import type { Host, HostsCheck } from "@/api/types";
import type { Tone } from "@/components/tag";
import { count } from "@/format/quantity";

type Verdict = Host["verdict"];

export const VERDICTS: { value: NonNullable<Verdict>; label: string; tone: Tone }[] = [
  { value: "ready", label: "ready", tone: "good" },
  { value: "to_mend", label: "to repair", tone: "bad" },
  { value: "unreachable", label: "unreachable", tone: "bad" },
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

/** An offset with its sign, to the microsecond, which is as exact as round trips through a network are. */
export function offsetText(ns: number | null | undefined): string {
  const ms = milliseconds(ns);
  return ms === null ? "–" : `${ms < 0 ? "−" : "+"}${Math.abs(ms).toFixed(3)}`;
}

export function uncertaintyText(ns: number | null | undefined): string {
  const ms = milliseconds(ns);
  return ms === null ? "–" : `±\u00a0${ms.toFixed(3)}`;
}

/** "7 hosts: 5 ready, 1 to repair, 1 unreachable". Zeros are omitted. */
export function countsText({ total, ready, to_mend, unreachable, unchecked }: HostsCheck["hosts"]): string {
  const parts: [number, string][] = [
    [ready, "ready"],
    [to_mend, "to repair"],
    [unreachable, "unreachable"],
    [unchecked, "not checked"],
  ];
  const shown = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [count(total, "host"), shown.join(", ")].filter(Boolean).join(": ");
}
