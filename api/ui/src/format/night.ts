// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Dates of nights, as "2026-03-29": days of a calendar, which no time zone moves. */

const DAY_MS = 86_400_000;

const DAY = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  year: "numeric",
  month: "long",
  day: "numeric",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "long", timeZone: "UTC" });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: "short", timeZone: "UTC" });
const LONG_WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: "long", timeZone: "UTC" });

/** Days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return dateOf(dayNumber(date) + days);
}

/** The same day of another month, or its last one: a month before 31 March is 28 or 29 February. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}

/** 0 is Monday. */
export function weekday(date: string): number {
  return (((dayNumber(date) + 3) % 7) + 7) % 7;
}

/** "29 Mar 2026". */
export function nightText(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

/** "Sunday, 29 March 2026". */
export function longNightText(date: string): string {
  return LONG_DAY.format(new Date(`${date}T00:00:00Z`));
}

/** "March 2026". */
export function monthText(month: string): string {
  return MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

/** Names of the days of a week, from Monday on: 2024-01-01 was one. */
export const WEEKDAYS: { short: string; long: string }[] = Array.from({ length: 7 }, (_, i) => {
  const day = new Date(Date.UTC(2024, 0, 1 + i));
  return { short: WEEKDAY.format(day), long: LONG_WEEKDAY.format(day) };
});

/** Today's date in a zone; the viewer's by default. */
export function today(zone?: string, now: number = Date.now()): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(now));
}
