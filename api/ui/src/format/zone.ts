// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Times of day by the clocks of a zone, on days on which these change too, as the service has them (docs/operate/service.md). */

import { dateOf, dayNumber, today, weekday } from "@/format/night";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

export interface Times {
  at: string;
  zone: string;
  days: readonly Day[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Changes of clocks are further apart. */
const HALF_DAY_MS = DAY_MS / 2;
/** Every schedule has a time within this many days. */
const AHEAD_DAYS = 9;

export function viewersZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All zones that the browser knows, with UTC and the given one. */
export function zones(present?: string): string[] {
  const known = Intl.supportedValuesOf("timeZone");
  return [...new Set(["UTC", ...known, ...(present ? [present] : [])])];
}

export function isZone(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat(undefined, { timeZone: zone }));
  } catch {
    return false;
  }
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offset(moment: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(new Date(moment));
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(moment / 1000) * 1000;
}

/** The time `at` (HH:MM) of a day of the zone. Where clocks are set forward over it, the time later by as much as they are set;
 * where it comes twice, the first. */
export function moment(date: string, at: string, zone: string): number {
  const [hour = 0, minute = 0] = at.split(":").map(Number);
  const clock = dayNumber(date) * DAY_MS + (hour * 60 + minute) * MINUTE_MS;
  const about = clock - offset(clock, zone);
  const [before, after] = [offset(about - HALF_DAY_MS, zone), offset(about + HALF_DAY_MS, zone)];
  // The clocks may show the time twice: the first moment counts. If they skip it, the offset before the change counts.
  const tried = [clock - before, clock - after].sort((a, b) => a - b);
  return tried.find((one) => one + offset(one, zone) === clock) ?? clock - before;
}

/** The next time of a schedule after now; null if it has no days or its zone is unknown. */
export function nextTime({ at, zone, days }: Times, now: number = Date.now()): number | null {
  if (!isZone(zone) || !/^\d\d:\d\d$/.test(at)) return null;
  const first = dayNumber(today(zone, now)) - 1;
  for (let day = first; day < first + AHEAD_DAYS; day++) {
    const date = dateOf(day);
    const when = moment(date, at, zone);
    if (days.some((one) => one === DAYS[weekday(date)]) && when > now) return when;
  }
  return null;
}

/** "Sun, 29 Mar 2026, 02:17 CEST". */
export function zoneTime(moment: number, zone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(moment));
}
