// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { counted, dialectSentence, dialectText } from "@/format/dialect";

describe("attributes of a device", () => {
  it.each([
    ["a10", "annex A10's", "annex A10's"],
    ["nvidia", "NVIDIA's", "NVIDIA's"],
    ["both", "both kinds", "annex A10's and NVIDIA's"],
    ["none", "neither kind", "neither annex A10's nor NVIDIA's"],
    [null, "not known", "not known: it was not asked for both kinds, or has not answered yet"],
  ])("%s are %s, or %s", (dialect, text, sentence) => {
    expect(dialectText({ dialect })).toBe(text);
    expect(dialectSentence({ dialect, state: "applied" })).toBe(sentence);
  });

  it("claims nothing of a device of which nothing is known", () => {
    expect(dialectSentence({ dialect: null, state: "unknown" })).toBe("not known");
  });
});

it("lists the dialects that there are, with those that are not known as such", () => {
  expect(counted({ a10: 2, nvidia: 0, both: 0, none: 1, unknown: 4 })).toEqual([
    { dialect: "a10", text: "annex A10's", devices: 2 },
    { dialect: "none", text: "neither kind", devices: 1 },
    { dialect: "unknown", text: "not known", devices: 4 },
  ]);
});
