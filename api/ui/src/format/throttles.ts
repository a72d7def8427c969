// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Says in words whether an adapter was seen to throttle. */
export function throttlesText(throttles: boolean | string | null | undefined): string {
  if (throttles === true) return "yes";
  if (throttles === false) return "no";
  return typeof throttles === "string" ? throttles : "unknown";
}
