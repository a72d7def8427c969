// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import { placeAt } from "@/components/yaml_editor/place";

/** The place at "|" in a text, as [kind, path]; the word before the bar is what is being written. */
function at(marked: string): [string, string] {
  const offset = marked.indexOf("|");
  const { kind, path } = placeAt(marked.slice(0, offset) + marked.slice(offset + 1), offset);
  return [kind, path.join(" ")];
}

test.each([
  ["|", "key", ""],
  ["na|", "key", ""],
  ["na|me: x\n", "key", ""],
  ["name: |", "value", "name"],
  ["name: ab|c\nother: 1", "value", "name"],
  ["a:\n  b: 1\n  |\n", "key", "a"],
  ["a:\n  b: 1\n  c|\n", "key", "a"],
  ["a:\n  b: 1\n|\n", "key", ""],
  ["a:\n  b:\n    c: 1\n  d: |", "value", "a d"],
  ["flows:\n- na|", "either", "flows 0"],
  ["flows:\n- name: C1\n  sr|c: H1", "key", "flows 0"],
  ["flows:\n- name: C1\n- name: |", "value", "flows 1 name"],
  ["flows:\n  - name: C1\n  - name: C2\n    |", "key", "flows 1"],
  ["flows:\n- {name: C1, src: |H1}", "value", "flows 0 src"],
  ["flows:\n- {name: C1, |}", "key", "flows 0"],
  ["flows:\n- {name: C1, src: H1}\n- {na|", "key", "flows 1"],
  ["flows:\n- {name: C1,\n   dst: |}", "value", "flows 0 dst"],
  ["flows: []\nname: |", "value", "name"],
  ["seeds: [1, |", "either", "seeds 1"],
  ["a: {b: {c: [1, {d: |", "value", "a b c 1 d"],
  ["space:\n  ca.ccti_timer: {lo|", "key", "space ca.ccti_timer"],
  ['"a b": {c: |', "value", "a b c"],
  ["description: >\n  some text: |\nname: x", "value", "description"],
  ["description: >\n  some text\nname: |", "value", "name"],
  ["# a: b\nname: |", "value", "name"],
  ["a: {x: '}', y: |", "value", "a y"],
  ["- - x: 1\n  - y: |", "value", "0 1 y"],
])("%j is a %s of %j", (text, kind, path) => expect(at(text)).toEqual([kind, path]));

test("the word that is being written begins where its first letter is", () => {
  expect(placeAt("a: {bc: 1, de", 13).from).toBe(11);
  expect(placeAt("flows:\n- na", 11).from).toBe(9);
  expect(placeAt("role:  vic", 10).from).toBe(7);
});

test("any text has a place", () => {
  const letters = ["a", ":", " ", "\n", "-", "{", "}", "[", "]", ",", "'", '"', "#", "|", "\u{1f600}"];
  let seed = 1;
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 24 }, () => {
      seed = (seed * 48271) % 2147483647;
      return letters[seed % letters.length];
    }).join("");
    const offset = seed % (text.length + 1);
    const { from } = placeAt(text, offset);
    expect(from).toBeGreaterThanOrEqual(0);
    expect(from).toBeLessThanOrEqual(offset);
  }
});
