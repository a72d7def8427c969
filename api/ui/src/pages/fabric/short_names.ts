// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * Short forms of the names of a level's nodes: without what all of them begin and end with, and shorter ones that still tell the
 * nodes apart. Names are cut between graphemes, so that no letter loses its accent.
 */

import type { TopologyNode } from "@/api/types";

/** Longest name, in graphemes: strangers' fabrics may have names of any length. */
const MOST_GRAPHEMES = 120;
/** A form that is longer gets its middle cut out. */
const COMFORTABLE = 28;
const LONG = 60;
/** Fewest letters that are worth an ellipsis. */
const LEAST_CUT = 4;
/** Fewest digits of a GUID that tell equal names apart. */
const GUID_DIGITS = 4;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function split(text: string): string[] {
  const found: string[] = [];
  for (const { segment } of graphemes.segment(text.slice(0, 8 * MOST_GRAPHEMES))) {
    if (found.push(segment) === MOST_GRAPHEMES) break;
  }
  return found;
}

/** "MF0;A10-P1" is MF0 ; A10 - P1: words, and what stands between them. */
function words(text: string): string[] {
  return split(text)
    .join("")
    .split(/(?<=[\p{L}\p{N}])(?![\p{L}\p{M}\p{N}])|(?<![\p{L}\p{M}\p{N}])(?=[\p{L}\p{N}])/u)
    .filter((word) => word !== "");
}

/** Number of parts that all lists begin with; at least one part of each list is left. */
function common(lists: string[][]): number {
  const [first = []] = lists;
  const most = Math.min(...lists.map((list) => list.length - 1));
  let n = 0;
  while (n < most && lists.every((list) => list[n] === first[n])) n++;
  return n;
}

/** Number of parts to cut at the beginning and at the end. */
function ends(lists: string[][]): [number, number] {
  const before = common(lists);
  const after = common(lists.map((list) => list.slice(before).reverse()));
  return [before, after];
}

const isWord = (part: string) => /[\p{L}\p{N}]/u.test(part);

/** Each list without what all share; a cut is shown by an ellipsis. */
function stripped(lists: string[][]): string[][] {
  if (lists.length < 2) return lists;
  const [before, after] = ends(lists).map((n, side) => {
    const cut = side === 0 ? lists[0]?.slice(0, n) : lists[0]?.slice(lists[0].length - n);
    return (cut ?? []).join("").length < LEAST_CUT ? 0 : n;
  }) as [number, number];
  return lists.map((list) => {
    const rest = list.slice(before, list.length - after);
    // What stands between words and the cut says nothing.
    while (rest.length > 1 && before > 0 && !isWord(rest[0] ?? "")) rest.shift();
    while (rest.length > 1 && after > 0 && !isWord(rest.at(-1) ?? "")) rest.pop();
    return rest;
  });
}

/** The last `n` words of each list, with what stands between them. */
function tails(lists: string[][], n: number): string[] {
  return lists.map((list) => {
    let left = n;
    let from = list.length;
    while (from > 0 && left > 0) if (isWord(list[--from] ?? "")) left--;
    return list.slice(from).join("");
  });
}

const kinds = (texts: string[]) => new Set(texts).size;

/** The middle of a long text cut out. */
function abridged(text: string, most = COMFORTABLE): string {
  const parts = split(text);
  if (parts.length <= most) return text;
  return `${parts.slice(0, 8).join("")}…${parts.slice(-(most - 9)).join("")}`;
}

/**
 * For each text its forms, the longest first. The forms of one step tell the texts apart as far as the whole texts do.
 */
export function forms(texts: string[]): string[][] {
  const lists = texts.map(words);
  const whole = lists.map((list) => list.join(""));
  let rest = stripped(lists);
  if (Math.max(0, ...rest.map((list) => split(list.join("")).length)) > COMFORTABLE) {
    // Long words without anything between them: what they share is cut between letters.
    const letters = stripped(rest.map((list) => split(list.join(""))));
    rest = letters.map((list) => words(list.join("")));
  }
  const cut = rest.map((list) => list.join(""));
  const wanted = kinds(whole);
  const most = Math.max(0, ...rest.map((list) => list.filter(isWord).length));
  const short: string[][] = [];
  for (let n = 1; n < most && short.length < 2; n++) {
    const found = tails(rest, n);
    if (kinds(found) >= wanted) short.unshift(found);
  }
  const steps = [
    whole.map((text) => abridged(text, LONG)),
    cut.map((text) => abridged(text)),
    ...short.map((step) => step.map((text) => abridged(text))),
  ];
  const marked = steps.map((step, number) =>
    step.map((text, i) => (number > 0 && text !== whole[i] && !text.includes("…") ? `…${text}` : text)),
  );
  return texts.map((_, i) => [...new Set(marked.map((step) => step[i] ?? ""))]);
}

/** Of each GUID as many last digits as tell it from the others; empty for one alone. */
export function guidEnds(guids: string[]): string[] {
  if (guids.length < 2) return guids.map(() => "");
  let n = GUID_DIGITS;
  while (n < 16 && kinds(guids.map((guid) => guid.slice(-n))) < guids.length) n++;
  return guids.map((guid) => guid.slice(-n));
}

/** Forms of the names of a level's nodes by id, the longest first. */
export function shortNames(nodes: TopologyNode[]): Map<string, string[]> {
  const texts = nodes.flatMap(({ name, ends: pair }) => pair ?? [name]);
  const found = forms(texts);
  const byText = new Map(texts.map((text, i) => [text, found[i] ?? [text]]));
  const alike = new Map<string, TopologyNode[]>();
  for (const node of nodes) if (node.guid) alike.set(node.name, [...(alike.get(node.name) ?? []), node]);
  const tail = new Map<string, string>();
  for (const same of alike.values()) {
    const digits = guidEnds(same.map(({ guid }) => guid ?? ""));
    for (const [i, { id }] of same.entries()) tail.set(id, digits[i] ?? "");
  }
  return new Map(
    nodes.map((node) => {
      if (node.ends) return [node.id, groupForms(byText.get(node.ends[0]) ?? [], byText.get(node.ends[1]) ?? [], node.count)];
      const end = tail.get(node.id);
      const own = byText.get(node.name) ?? [node.name];
      return [node.id, end ? [...own.map((text) => `${text} ·${end}`), `·${end}`] : own];
    }),
  );
}

function groupForms(first: string[], last: string[], n: number): string[] {
  const steps = Math.max(first.length, last.length);
  const pairs = Array.from({ length: steps }, (_, i) => {
    const [a, b] = [first[Math.min(i, first.length - 1)] ?? "", last[Math.min(i, last.length - 1)] ?? ""];
    return a === b ? `${a} ×${n}` : `${a} – ${b}`;
  });
  return [...pairs, `×${n}`];
}
