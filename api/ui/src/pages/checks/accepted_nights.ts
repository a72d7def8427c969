// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Which nights a choice makes the baseline. The service decides; this shows it before. */

import type { Night } from "@/api/types";

/** A baseline has at least so many nights. */
export const LEAST_NIGHTS = 5;

export type Choice = { kind: "last"; last: number } | { kind: "range"; first: string; until: string };

type Chosen = Pick<Night, "date" | "verdict" | "observed">;

/** The nights that were observed, ascending. An empty date is no bound. `nights`: the newest first. */
export function acceptedNights<T extends Chosen>(nights: readonly T[], choice: Choice): T[] {
  const usable = nights.filter(({ observed }) => observed).reverse();
  if (choice.kind === "last") return choice.last > 0 ? usable.slice(-choice.last) : [];
  const { first, until } = choice;
  return usable.filter(({ date }) => (first === "" || first <= date) && (until === "" || date <= until));
}

/** Those that one should look at before one calls them normal. */
export function notGood<T extends Chosen>(nights: readonly T[]): T[] {
  return nights.filter(({ verdict }) => verdict !== "pass");
}

/** Names in a row; of many, the first ones and how many more there are. */
export function someOf(names: readonly string[], most = 6): string {
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
