// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Whether an adapter was seen to throttle, as text. */
export function throttlesText(throttles: boolean | string | null | undefined): string {
  if (throttles === true) return "yes";
  if (throttles === false) return "no";
  return typeof throttles === "string" ? throttles : "unknown";
}
