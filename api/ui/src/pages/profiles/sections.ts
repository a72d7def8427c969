// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The sections of a profile's form: which a fabric's devices have, which come first, and which are folded away and why. */

import type { DialectCounts, ParameterHelp } from "@/api/types";
import { count, number } from "@/format/quantity";

/** The devices of the fabric that a profile is for. */
export interface Devices {
  fabric: string;
  counts: DialectCounts;
}

export interface Section {
  name: string;
  members: ParameterHelp[];
  /** Folded, the fields are shown on demand. A section with values is never folded. */
  folded: boolean;
  /** Which devices have it; empty where it is for all, and of a section that is shown while nothing is known of the devices. */
  why: string;
}

type Kind = "a10" | "nvidia";

const KINDS: Record<string, Kind> = {
  switch: "a10",
  ca: "a10",
  cct: "a10",
  "nvidia.switch": "nvidia",
  "nvidia.adapter": "nvidia",
};

const WORDS: Record<Kind, string> = { a10: "annex A10's", nvidia: "NVIDIA's" };

/** The section of a key: `nvidia` has one for each kind of device. */
export function sectionOf(path: string): string {
  const [first = "", second = ""] = path.split(".");
  return first === "nvidia" ? `${first}.${second}` : path.includes(".") ? first : "";
}

/** `has`: whether the profile has values in a section. `devices`: null without a fabric, or where nothing is known of it. */
export function sections(parameters: ParameterHelp[], has: (section: string) => boolean, devices: Devices | null): Section[] {
  const known = devices && knows(devices.counts) ? devices : null;
  const made = [...Map.groupBy(parameters, ({ path }) => sectionOf(path))].map(([name, members]) => {
    const kind = KINDS[name];
    if (!kind) return { name, members, folded: false, why: "", rank: 0 };
    const fits = known ? having(known.counts, kind) > 0 : kind === "a10";
    const written = has(name);
    const folded = !fits && !written;
    const general = folded ? `For devices that have ${WORDS[kind]} attributes.` : "";
    return { name, members, folded, why: known ? why(known, kind, written) : general, rank: fits ? 1 : 2 };
  });
  return made.toSorted((a, b) => a.rank - b.rank).map(({ rank, ...section }) => section);
}

/** Whether anything is known of the devices. */
export function knows(counts: DialectCounts): boolean {
  return total(counts) > counts.unknown;
}

function why({ fabric, counts }: Devices, kind: Kind, written: boolean): string {
  const n = having(counts, kind);
  const unknown = counts.unknown ? `; ${count(counts.unknown, "device")} not asked, or without an answer yet` : "";
  const some = n < total(counts) ? `${number(n)} of the ${count(total(counts), "device")}` : "all devices";
  if (n > 0) return `For ${some} of ${fabric}, which have ${WORDS[kind]} attributes${unknown}.`;
  if (unknown) return `No device of ${fabric} is known to have ${WORDS[kind]} attributes${unknown}.`;
  return `No device of ${fabric} has ${WORDS[kind]} attributes${written ? ", so these values have no effect there" : ""}.`;
}

function having(counts: DialectCounts, kind: Kind): number {
  return counts[kind] + counts.both;
}

function total({ a10, nvidia, both, none, unknown }: DialectCounts): number {
  return a10 + nvidia + both + none + unknown;
}
