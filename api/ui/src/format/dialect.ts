// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Congestion-control attributes of devices, in words. */

import type { DeviceRow, DialectCounts } from "@/api/types";

export type Dialect = keyof DialectCounts;

/** In the order in which they are shown. */
export const DIALECTS: Record<Dialect, string> = {
  a10: "annex A10's",
  nvidia: "NVIDIA's",
  both: "both kinds",
  none: "neither kind",
  unknown: "not known",
};

/** "NVIDIA's", "not known". */
export function dialectText({ dialect }: Pick<DeviceRow, "dialect">): string {
  return isDialect(dialect) ? DIALECTS[dialect] : DIALECTS.unknown;
}

/** What is known of one device, with why nothing is. A state that is unknown does not say whether the device was ever asked. */
export function dialectSentence({ dialect, state }: Pick<DeviceRow, "dialect" | "state">): string {
  if (dialect === "both") return "annex A10's and NVIDIA's";
  if (dialect === "none") return "neither annex A10's nor NVIDIA's";
  if (isDialect(dialect)) return DIALECTS[dialect];
  return state === "unknown" ? DIALECTS.unknown : "not known: it was not asked for both kinds, or has not answered yet";
}

/** The dialects that some devices have, with their numbers. */
export function counted(counts: DialectCounts): { dialect: Dialect; text: string; devices: number }[] {
  const present = (Object.keys(DIALECTS) as Dialect[]).filter((dialect) => counts[dialect] > 0);
  return present.map((dialect) => ({ dialect, text: DIALECTS[dialect], devices: counts[dialect] }));
}

function isDialect(text: string | null): text is Dialect {
  return text !== null && text in DIALECTS;
}

/** Congestion control that a fabric's document can give all devices. */
export const DOCUMENT_DIALECTS = [
  { value: "a10", label: "annex A10’s" },
  { value: "nvidia-dcqcn", label: "NVIDIA’s, adapters with DCQCN" },
  { value: "nvidia-ppcc", label: "NVIDIA’s, adapters with PPCC" },
  { value: "both", label: "both kinds" },
  { value: "none", label: "neither kind" },
] as const;
