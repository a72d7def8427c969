// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A state in a word, with a color and a sign: nothing depends on color alone. */

export type Tone = "good" | "warn" | "bad" | "unknown" | "active" | "plain";

export const SIGNS: Record<Tone, string> = { good: "✓", warn: "!", bad: "✕", unknown: "?", active: "●", plain: "○" };

const TONES: Record<string, Tone> = {
  applied: "good",
  approved: "good",
  done: "good",
  finished: "good",
  master: "good",
  ok: "good",
  complete: "good",
  promoted: "good",
  pass: "good",
  "could not be run": "unknown",
  running: "active",
  queued: "active",
  pausing: "active",
  applying: "active",
  undoing: "active",
  warn: "warn",
  pending: "warn",
  waiting: "warn",
  paused: "warn",
  outdated: "warn",
  clamped: "warn",
  withheld: "warn",
  foreign: "warn",
  standby: "warn",
  "timing-out": "warn",
  timing_out: "warn",
  pruned: "warn",
  infeasible: "warn",
  drifted: "bad",
  failed: "bad",
  fail: "bad",
  refused: "bad",
  halted: "bad",
  conflict: "bad",
  rejected: "bad",
};

export function toneOf(state: string): Tone {
  return TONES[state.toLowerCase()] ?? "plain";
}

export function Tag({ state, tone, text, title }: { state: string; tone?: Tone; text?: string; title?: string }) {
  const kind = tone ?? toneOf(state);
  return (
    <span className={`tag ${kind}`} title={title}>
      <span aria-hidden="true">{SIGNS[kind]}</span>
      {(text ?? state).replaceAll("_", " ")}
    </span>
  );
}
