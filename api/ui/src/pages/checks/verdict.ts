// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A night's verdict, or why it has none, in words, with a color and a sign. */

import type { Check, Night, Verdict } from "@/api/types";
import type { Tone } from "@/components/tag";
import { longNightText } from "@/format/night";

export interface Look {
  word: string;
  tone: Tone;
}

export const VERDICTS: Record<Verdict, Look> = {
  pass: { word: "pass", tone: "good" },
  warn: { word: "warn", tone: "warn" },
  "could not be run": { word: "could not be run", tone: "unknown" },
  fail: { word: "fail", tone: "bad" },
};

/** Of nights that have no verdict, or are at work again. */
const STATES: Record<Exclude<Night["state"], "done">, Look> = {
  queued: { word: "queued", tone: "active" },
  running: { word: "running", tone: "active" },
  failed: { word: "ended with an error", tone: "unknown" },
  cancelled: { word: "cancelled", tone: "plain" },
  missed: { word: "missed", tone: "plain" },
};

/** While a night runs again, that; otherwise the verdict that counts, also if a later run of the night was cancelled. */
export function lookOf({ state, verdict }: Pick<Night, "state" | "verdict">): Look {
  if (state === "queued" || state === "running") return STATES[state];
  if (verdict !== null) return VERDICTS[verdict];
  return state === "done" ? { word: "no verdict", tone: "plain" } : STATES[state];
}

/** "Sunday, 29 March 2026: fail, run late, part of the baseline". */
export function nightName(night: Pick<Night, "date" | "state" | "verdict" | "late" | "in_baseline">): string {
  const more = [night.late ? "run late" : "", night.in_baseline ? "part of the baseline" : ""].filter(Boolean);
  return `${longNightText(night.date)}: ${[lookOf(night).word, ...more].join(", ")}`;
}

/** The notice that shows a verdict. */
export function noticeKind({ tone }: Look): "info" | "good" | "warn" | "bad" | "unknown" {
  return tone === "active" || tone === "plain" ? "info" : tone;
}

/** From the worst verdict to the best; those that have none come last. */
const ORDER: Verdict[] = ["fail", "could not be run", "warn", "pass"];

export function worstFirst<T extends Pick<Check, "last">>(checks: readonly T[]): T[] {
  const rank = ({ last }: T) => (last?.verdict ? ORDER.indexOf(last.verdict) : ORDER.length);
  return [...checks].sort((a, b) => rank(a) - rank(b));
}
