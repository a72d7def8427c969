// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Which place of a YAML document a position of its text belongs to. It reads texts that are half written, which no parser can. */

import type { Step } from "@/components/yaml_editor/schema_help";

export interface Place {
  /** The mapping for a key; the value itself for a value. */
  path: Step[];
  /** `either`: an item of a list, which can be a value or begin a mapping. */
  kind: "key" | "value" | "either";
  /** Where the word begins. */
  from: number;
}

interface Frame {
  indent: number;
  step: Step;
}

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"[\]{},&*!|>%@`-][^#]*?|-[^\s][^#]*?)\s*:(?=\s|$)/;

export function placeAt(text: string, offset: number): Place {
  const frames: Frame[] = [];
  const path = () => frames.map(({ step }) => step);
  let start = 0;
  while (start <= text.length) {
    const end = lineEnd(text, start);
    const isHere = offset <= end;
    let column = /^ */.exec(text.slice(start, end))?.[0].length ?? 0;
    let rest = text.slice(start + column, end);
    if (rest.trim() === "" || rest.startsWith("#")) {
      if (isHere) {
        popKeys(frames, offset - start);
        return { path: path(), kind: "key", from: offset };
      }
      start = end + 1;
      continue;
    }
    let isItem = false;
    for (let dash = /^-(\s+|$)/.exec(rest); dash; dash = /^-(\s+|$)/.exec(rest)) {
      pushItem(frames, column);
      isItem = true;
      column += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    let at = start + column;
    const key = KEY.exec(rest);
    if (key) {
      popKeys(frames, column);
      const colon = at + key[0].length;
      if (isHere && offset < colon) return { path: path(), kind: "key", from: Math.min(at, offset) };
      frames.push({ indent: column, step: unquoted(key[1] ?? "") });
      const gap = /^\s*/.exec(text.slice(colon, end))?.[0].length ?? 0;
      at = colon + gap;
      rest = text.slice(at, end);
    } else if (isHere && !/^[[{]/.test(rest)) {
      if (!isItem) popKeys(frames, column);
      return { path: path(), kind: isItem ? "either" : "key", from: Math.min(at, offset) };
    }
    if (/^[[{]/.test(rest)) {
      const inner = flow(text, at, offset, path());
      if (typeof inner !== "number") return inner;
      if (offset <= lineEnd(text, inner)) return { path: path(), kind: "value", from: offset };
      start = lineEnd(text, inner) + 1;
      continue;
    }
    if (isHere) return { path: path(), kind: "value", from: Math.min(at, offset) };
    start = end + 1;
    if (/^[|>]/.test(rest)) {
      // A block scalar: lines that are blank or further in.
      while (start <= text.length) {
        const last = lineEnd(text, start);
        const line = text.slice(start, last);
        const indent = line.length - line.trimStart().length;
        if (line.trim() !== "" && indent <= column) break;
        if (offset <= last && line.trim() !== "") return { path: path(), kind: "value", from: offset };
        if (last >= text.length) return { path: path(), kind: "value", from: offset };
        start = last + 1;
      }
    }
  }
  return { path: [], kind: "key", from: offset };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Leaves what a key in that column belongs to. */
function popKeys(frames: Frame[], column: number): void {
  while ((frames.at(-1)?.indent ?? -1) >= column) frames.pop();
}

/** An item of a list, which may stand in the column of the list's key. */
function pushItem(frames: Frame[], column: number): void {
  let index = 0;
  for (let last = frames.at(-1); last; last = frames.at(-1)) {
    const isBrother = last.indent === column && typeof last.step === "number";
    if (last.indent <= column && !isBrother) break;
    if (isBrother) index = Number(last.step) + 1;
    frames.pop();
    if (isBrother) break;
  }
  frames.push({ indent: column, step: index });
}

interface Bracket {
  isList: boolean;
  index: number;
  key: string | null;
}

/** The place in a list or mapping in brackets that begins at `from`; or where it ends, before `offset`. */
function flow(text: string, from: number, offset: number, path: Step[]): Place | number {
  const open: Bracket[] = [];
  let word = from;
  const place = (): Place => {
    const steps = open.slice(0, -1).map(({ isList, index, key }): Step => (isList ? index : (key ?? "")));
    const top = open.at(-1);
    const begin = Math.min(offset, word + (/^\s*/.exec(text.slice(word, offset))?.[0].length ?? 0));
    if (!top) return { path, kind: "value", from: begin };
    if (top.isList) return { path: [...path, ...steps, top.index], kind: "either", from: begin };
    return top.key === null
      ? { path: [...path, ...steps], kind: "key", from: begin }
      : { path: [...path, ...steps, top.key], kind: "value", from: begin };
  };
  for (let i = from; i < text.length; i++) {
    if (i >= offset) return place();
    const char = text[i];
    const top = open.at(-1);
    if (char === '"' || char === "'") {
      const close = text.indexOf(char, i + 1);
      if (close < 0 || close >= offset) return place();
      i = close;
    } else if (char === "#" && /\s/.test(text[i - 1] ?? " ")) {
      i = lineEnd(text, i) - 1;
    } else if (char === "{" || char === "[") {
      open.push({ isList: char === "[", index: 0, key: null });
      word = i + 1;
    } else if (char === "}" || char === "]") {
      open.pop();
      word = i + 1;
      if (open.length === 0) return i + 1;
    } else if (char === "," && top) {
      top.index += 1;
      top.key = null;
      word = i + 1;
    } else if (char === ":" && top && !top.isList && top.key === null && /[\s,}]|^$/.test(text[i + 1] ?? "")) {
      top.key = unquoted(text.slice(word, i).trim());
      word = i + 1;
    }
  }
  return place();
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1).replaceAll("''", "'");
  if (!key.startsWith('"')) return key;
  try {
    return String(JSON.parse(key));
  } catch {
    return key.slice(1, -1);
  }
}
