// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's document as text. */

/** The document without `name` and `fabric` at its top, which the service knows beside it. All else, comments too, stays as it is
 * written. A value in several lines stays, and the service says so. */
export function withoutPlace(document: string): string {
  return document.replace(/^(name|fabric):[^\n|>]*(\n|$)/gm, "").replace(/^# SPDX-License-Identifier:.*\n/, "");
}
