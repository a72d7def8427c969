// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's schedule in words, and the first one of a new check. */

import type { Schedule } from "@/api/types";
import { WEEKDAYS } from "@/format/night";
import { DAYS, viewersZone } from "@/format/zone";

/** In the small hours, and not at a full hour, at which many other things begin. */
export function newSchedule(): Schedule {
  return { enabled: true, at: "02:17", zone: viewersZone(), days: [...DAYS], late_by_h: 6, when_busy: "wait" };
}

/** "every day", or "Mon, Wed". */
export function daysText(days: Schedule["days"]): string {
  if (DAYS.every((day) => days.includes(day))) return "every day";
  return DAYS.flatMap((day, i) => (days.includes(day) ? [WEEKDAYS[i]?.short ?? day] : [])).join(", ");
}

/** "every day at 02:17 (Europe/Oslo)". */
export function scheduleText({ enabled, at, zone, days }: Schedule): string {
  return enabled ? `${daysText(days)} at ${at} (${zone})` : "switched off";
}
