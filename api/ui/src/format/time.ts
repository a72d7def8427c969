// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Times as text. The service sends UTC; the viewer sees their own time zone and its name. */

const DATE_TIME = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });

/** "22 Nov 2026, 14:03:07 CET". */
export function dateTime(iso: string): string {
  return DATE_TIME.format(new Date(iso));
}

/** "14:03 CET". */
export function clock(iso: string): string {
  return CLOCK.format(new Date(iso));
}

/** A duration in at most two units: "45 s", "9 min 20 s", "3 h 5 min", "2 d 4 h". */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(Math.floor(whole / 60), "min", whole % 60, "s");
  if (whole < 86400) return join(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  return join(Math.floor(whole / 86400), "d", Math.floor((whole % 86400) / 3600), "h");
}

/** "just now", "3 min ago", "in 2 h". */
export function fromNow(iso: string, now: number = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Math.abs(seconds) < 5) return "just now";
  const coarse = (duration(Math.abs(seconds)).match(/^\S+ \S+/) ?? [""])[0];
  return seconds < 0 ? `${coarse} ago` : `in ${coarse}`;
}

export function secondsUntil(iso: string, now: number = Date.now()): number {
  return (new Date(iso).getTime() - now) / 1000;
}

function join(high: number, highUnit: string, low: number, lowUnit: string): string {
  return low === 0 ? `${high} ${highUnit}` : `${high} ${highUnit} ${low} ${lowUnit}`;
}
