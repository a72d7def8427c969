// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Whether an adapter was seen to throttle, as text. */
export function reactsText(reacts: boolean | string | null | undefined): string {
  if (reacts === true) return "yes";
  if (reacts === false) return "no";
  return typeof reacts === "string" ? reacts : "unknown";
}
