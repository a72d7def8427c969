// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A profile's text and its fields: a change in the form changes just that value of the text, and comments stay. */

import { type Document, parseDocument } from "yaml";

/** Reads by the scalar rules of YAML 1.2, as the service does. */
export function read(text: string): Document {
  return parseDocument(text, { version: "1.2", schema: "core", prettyErrors: true });
}

/** The value at "switch.threshold"; undefined where the text has none or cannot be read. */
export function valueAt(text: string, path: string): unknown {
  const document = read(text);
  if (document.errors.length > 0) return undefined;
  const value = document.getIn(path.split("."));
  return value !== null && typeof value === "object" && "toJSON" in value ? (value as { toJSON: () => unknown }).toJSON() : value;
}

/** The text with one value changed; undefined takes the key out, and the maps that would be left empty. */
export function withValue(text: string, path: string, value: unknown): string {
  const document = read(text);
  if (document.errors.length > 0) return text;
  const keys = path.split(".");
  if (value === undefined) {
    if (!document.hasIn(keys)) return text;
    document.deleteIn(keys);
    for (let depth = keys.length - 1; depth > 0; depth--) {
      const parent = document.getIn(keys.slice(0, depth)) as { items?: unknown[] } | undefined;
      if (!parent?.items || parent.items.length > 0) break;
      document.deleteIn(keys.slice(0, depth));
    }
  } else {
    // A plain value replaces the one that is there, whose comment stays; a list or a map is written in one line.
    const isPlain = value === null || typeof value !== "object";
    document.setIn(keys, isPlain ? value : document.createNode(value, { flow: true }));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** `withValue` of a setting. The format is of version 2 as soon as a profile has `nvidia`. */
export function withSetting(text: string, path: string, value: unknown): string {
  const isOld = path.startsWith("nvidia.") && value !== undefined && valueAt(text, "ibcc_profile") === 1;
  return withValue(isOld ? withValue(text, "ibcc_profile", 2) : text, path, value);
}

/** Text of a new profile: the values of the packaged gran-2010, which a test compares. */
export const NEW_PROFILE = `ibcc_profile: 1
name: my-profile
link: {rate_gbps: 16, mtu_bytes: 2048}
switch:
  threshold: 15
  marking_rate: 1
  packet_size: 8
  victim_mask: ca_ports
ca:
  level: qp
  sls: all
  ccti_timer: 150
  ccti_increase: 1
cct:
  ccti_limit: 127
  curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}
`;
