// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Numbers with their units. A physical value always has a unit; a raw wire value has none. */

/** Units by suffix of a field's name, longest first: `_gbps2` before `_gbps`. */
const UNITS: [suffix: string, unit: string][] = [
  ["_gbps2", "Gb²/s²"],
  ["_packet_times", "packet times"],
  ["_packets", "packets"],
  ["_percent", "%"],
  ["_bytes", "bytes"],
  ["_gbps", "Gb/s"],
  ["_mib", "MiB"],
  ["_ns", "ns"],
  ["_us", "µs"],
  ["_ms", "ms"],
  ["_s", "s"],
];

/**
 * A profile's table is in packet times on the devices: these microseconds are of the link that the profile names, and no others
 * on a fabric whose packets take longer or less.
 */
const OF_THE_LINK = /(^|\.)full_scale_us$/;

/** The unit that a field's name ends with; raw wire values have none. */
export function unitOf(name: string): string {
  if (OF_THE_LINK.test(name)) return "µs of the profile's link";
  return UNITS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? "";
}

/** A field's name as people read it: "treatment_variation_gbps2" is "treatment variation". */
export function titleOf(name: string): string {
  const suffix = UNITS.find(([end]) => name.endsWith(end))?.[0] ?? "";
  const words = name.slice(0, name.length - suffix.length).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** To four significant digits, without an exponent where people would not write one. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e15)
    return value.toLocaleString("en", { useGrouping: Math.abs(value) >= 10000 });
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/** A number and its unit with a space that does not break. Shares have the unit 1, which is not written. */
export function quantity(value: number | null | undefined, unit: string): string {
  const text = number(value);
  return unit && unit !== "1" && text !== "–" ? `${text}\u00a0${unit}` : text;
}

/** As `quantity`, with the unit from the field's name. */
export function field(name: string, value: number | null | undefined): string {
  return quantity(value, unitOf(name));
}

/** "3 devices", "1 device". */
export function count(n: number, one: string, many: string = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

export function percent(fraction: number | null | undefined, digits = 0): string {
  return fraction === null || fraction === undefined ? "–" : `${(fraction * 100).toFixed(digits)}\u00a0%`;
}
