/** Reading whatever tables the service tells of a device, without knowing each attribute. */

import type { CurvePoint } from "@/api/shapes";

export interface Entry {
  shift: number;
  multiplier: number;
}

export function isEntries(value: unknown): value is Entry[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "object" && item !== null && "multiplier" in item);
}

/** The device does not tell a link's rate: delays stay in packet times. */
export function toCurve(entries: Entry[]): CurvePoint[] {
  return entries.map(({ shift, multiplier }, ccti) => ({ ccti, ird_us: null, shift, multiplier }));
}

/** Nested values as lines of "a.b" and text; long lists of numbers as one line. */
export function flatten(value: unknown, prefix = ""): [string, string][] {
  if (value === undefined) return [];
  if (value === null || typeof value !== "object") return [[prefix || "value", String(value ?? "–")]];
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== "object")) return [[prefix || "values", value.join(", ") || "none"]];
    return value.flatMap((item, i) => flatten(item, `${prefix}[${i}]`));
  }
  return Object.entries(value).flatMap(([key, item]) => flatten(item, prefix ? `${prefix}.${key}` : key));
}
