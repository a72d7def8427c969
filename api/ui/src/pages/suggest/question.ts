// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The question of a suggestion, as it stands in the address of the page. */

import type { SuggestionBody } from "@/api/types";

export interface Question {
  workload: string;
  /** Number of one of several; empty: the fabric's. */
  subnet: string;
  /** Contributors to one receiver; empty where they are not known. */
  least: string;
  most: string;
  devices: string[];
  /** "ca.cnp_spacing_ns=1600, ca.becn_carrier=ack" */
  model: string;
}

export function bodyOf({ workload, subnet, least, most, devices, model }: Question): Partial<SuggestionBody> {
  const [low, high] = [least, most].map((text) => (text === "" ? null : Number(text)));
  return {
    workloads: workload ? [workload] : [],
    subnet: subnet ? Number(subnet) : null,
    contributors: high ? { most: high, least: low ?? null } : null,
    devices: devices.length > 0 ? (devices as SuggestionBody["devices"]) : null,
    model: settingsOf(model) ?? {},
  };
}

/** Names and values of "a=1, b=word"; null for any other text. */
export function settingsOf(text: string): Record<string, number | string> | null {
  const parts = text
    .split(/[\s,]+(?=[^\s,=]+\s*=)|,/)
    .map((part) => part.trim())
    .filter(Boolean);
  const found: Record<string, number | string> = {};
  for (const part of parts) {
    const [, name, value] = /^(?:model\.)?([\w.]+)\s*=\s*(\S+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) return null;
    found[name] = Number.isNaN(Number(value)) ? value : Number(value);
  }
  return found;
}
