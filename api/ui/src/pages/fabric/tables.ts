// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Reads the tables of a device, as the service returns them, without knowing each attribute. */

import type { CurvePoint, DeviceAttribute } from "@/api/types";

export interface Entry {
  shift: number;
  multiplier: number;
}

export interface ComparedField {
  attribute: string;
  where: string;
  field: string;
  wanted: string | null;
  held: string | null;
  /** What the device held before ibcc set anything on it; null: not kept, or not read. */
  found: string | null;
  differs: boolean;
}

export function isEntries(value: unknown): value is Entry[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === "object" && item !== null && "multiplier" in item)
  );
}

/** The entries of the first port's blocks, one after the other, as far as the CCTI_Limit. */
export function entriesOf(tables: DeviceAttribute[], side: "wanted" | "held"): Entry[] {
  const blocks = tables.filter((table) => blockOf(table[side]).length > 0);
  const own = blocks.filter(({ port }) => port === blocks[0]?.port).sort((a, b) => a.block - b.block);
  const entries = own.flatMap((table) => blockOf(table[side]));
  const first = own[0]?.[side];
  const limit = first?.CCTI_Limit ?? first?.ccti_limit;
  return typeof limit === "number" ? entries.slice(0, limit + 1) : entries;
}

/** The entries of one block: OpenSM's plugin has lists under the specification's names, the simulator a list of entries. */
function blockOf(values: DeviceAttribute["held"]): Entry[] {
  const { CCT_Shift: shifts, CCT_Multiplier: multipliers } = values ?? {};
  if (Array.isArray(shifts) && Array.isArray(multipliers)) {
    return multipliers.map((multiplier, i) => ({ shift: Number(shifts[i] ?? 0), multiplier: Number(multiplier) }));
  }
  return Object.values(values ?? {}).find(isEntries) ?? [];
}

/** The link rate is unknown here: delays stay in packet times. */
export function toCurve(entries: Entry[]): CurvePoint[] {
  return entries.map(({ shift, multiplier }, ccti) => ({
    ccti,
    ird_us: null,
    ird_packet_times: multiplier / 2 ** shift,
    shift,
    multiplier,
  }));
}

/** Wanted and held values by field. Entries of the CCT are abridged; their chart has them all. Lines that say the same are one. */
export function compareTables(tables: DeviceAttribute[]): ComparedField[] {
  const lines = tables.flatMap(({ attribute, port, block, wanted, held, found }) => {
    const [left, right, before] = [wanted, held, found].map((values) => new Map(flatten(values ?? {}))) as [Side, Side, Side];
    const fields = [...new Set([...left.keys(), ...right.keys(), ...before.keys()])].map((field): ComparedField => {
      const [a, b, c] = [left.get(field) ?? null, right.get(field) ?? null, before.get(field) ?? null];
      const differs = wanted !== null && held !== null && a !== b;
      return { attribute, where: "", field, wanted: a, held: b, found: c, differs };
    });
    return together(fields).map((line) => ({ line, port, block }));
  });
  const alike = new Map<string, { line: ComparedField; ports: number[]; blocks: number[] }>();
  for (const { line, port, block } of lines) {
    const key = JSON.stringify(line);
    const found = alike.get(key) ?? { line, ports: [], blocks: [] };
    alike.set(key, found);
    found.ports.push(port);
    found.blocks.push(block);
  }
  return [...alike.values()].map(({ line, ports, blocks }) => ({ ...line, where: `${ranges(ports)}; ${ranges(blocks)}` }));
}

type Side = Map<string, string>;

/** "1–4, 7": numbers in order, each once. */
export function ranges(numbers: number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const n of sorted) {
    const last = found.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ") || "none";
}

/** Equal elements of a list become one line: "sls[0–15].ccti_timer". */
function together(fields: ComparedField[]): ComparedField[] {
  const lines: ComparedField[] = [];
  const runs = new Map<string, { line: ComparedField; first: number; last: number }>();
  for (const field of fields) {
    const [, before, index, after] = /^(.*)\[(\d+)\](.*)$/.exec(field.field) ?? [];
    const at = Number(index);
    const name = `${before}[]${after}`;
    const run = index === undefined ? undefined : runs.get(name);
    const isAlike = run && run.line.wanted === field.wanted && run.line.held === field.held && run.line.found === field.found;
    if (isAlike && run.last === at - 1) {
      run.last = at;
      run.line.field = `${before}[${run.first}–${at}]${after}`;
      continue;
    }
    const line = { ...field };
    lines.push(line);
    if (index !== undefined) runs.set(name, { line, first: at, last: at });
  }
  return lines;
}

/** Nested values as lines of "a.b" and text; lists of plain values, masks of ports, and CCT entries, as one line. */
export function flatten(value: unknown, prefix = ""): [string, string][] {
  if (value === undefined) return [];
  if (typeof value === "string" && isMask(prefix) && HEXADECIMAL.test(value)) return [[prefix, ranges(bits(value))]];
  if (value === null || typeof value !== "object") return [[prefix || "value", String(value ?? "–")]];
  if (isEntries(value)) return [[prefix || "entries", shortEntries(value)]];
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== "object")) return [[prefix || "values", shortList(prefix, value)]];
    return value.flatMap((item, i) => flatten(item, `${prefix}[${i}]`));
  }
  return Object.entries(value).flatMap(([key, item]) => {
    if (/^\d+$/.test(key)) return flatten(item, `${prefix}[${key}]`);
    return flatten(item, prefix ? `${prefix}.${key}` : key);
  });
}

const HEXADECIMAL = /^0x[0-9a-f]+$/i;
const isMask = (field: string) => /mask$/i.test(field);

/** Bits of a mask that are set: bit n is port n. */
function bits(mask: string): number[] {
  const value = BigInt(mask);
  return Array.from({ length: 4 * (mask.length - 2) }, (_, n) => n).filter((n) => (value >> BigInt(n)) & 1n);
}

/** "0 (16 times)"; of a mask, the ports as ranges. */
function shortList(field: string, list: unknown[]): string {
  if (isMask(field)) return ranges(list.map(Number));
  if (list.length > 2 && list.every((item) => item === list[0])) return `${list[0]} (${list.length} times)`;
  return list.join(", ") || "none";
}

/** "0:0, 3:1, 3:2 … 1:16379 (64)": shift:multiplier, as the specification's tools print them. */
function shortEntries(entries: Entry[]): string {
  const text = entries.map(({ shift, multiplier }) => `${shift}:${multiplier}`);
  return text.length <= 6 ? text.join(", ") : `${text.slice(0, 3).join(", ")} … ${text.at(-1)} (${text.length})`;
}
