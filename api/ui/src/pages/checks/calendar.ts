// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The layout of the calendar of nights, and where its keys lead. */

import { addDays, addMonths, dateOf, dayNumber, weekday } from "@/format/night";

export interface Month {
  /** "2026-03". */
  month: string;
  /** Weeks from Monday to Sunday; null for days of other months. */
  weeks: (string | null)[][];
}

function monthOf(month: string): Month {
  const first = `${month}-01`;
  const days = dayNumber(addMonths(first, 1)) - dayNumber(first);
  const cells: (string | null)[] = [
    ...Array<null>(weekday(first)).fill(null),
    ...Array.from({ length: days }, (_, i) => dateOf(dayNumber(first) + i)),
  ];
  while (cells.length % 7 !== 0) cells.push(null);
  return { month, weeks: Array.from({ length: cells.length / 7 }, (_, i) => cells.slice(7 * i, 7 * i + 7)) };
}

/** All months from that of the first date to that of the last, the newest first. */
export function monthsBetween(first: string, last: string): Month[] {
  const months: Month[] = [];
  for (let month = last.slice(0, 7); month >= first.slice(0, 7); month = addMonths(`${month}-01`, -1).slice(0, 7)) {
    months.push(monthOf(month));
  }
  return months;
}

/** The night that a key leads to from another one; null for a key that leads nowhere. `nights`: ascending. Where the calendar has
 * no night on the wanted day, the next one in that direction is meant, and at its ends nothing moves. */
export function nightByKey(key: string, from: string, nights: readonly string[]): string | null {
  const before = (date: string) => nights.findLast((night) => night <= date) ?? null;
  const after = (date: string) => nights.find((night) => night >= date) ?? null;
  switch (key) {
    case "ArrowLeft":
      return before(addDays(from, -1));
    case "ArrowRight":
      return after(addDays(from, 1));
    case "ArrowUp":
      return before(addDays(from, -7));
    case "ArrowDown":
      return after(addDays(from, 7));
    case "PageUp":
      return before(addMonths(from, -1));
    case "PageDown":
      return after(addMonths(from, 1));
    case "Home":
      return nights[0] ?? null;
    case "End":
      return nights[nights.length - 1] ?? null;
    default:
      return null;
  }
}
