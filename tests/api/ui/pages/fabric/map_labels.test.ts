// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import { levelName } from "@/pages/fabric/map_labels";

test("a level is named by its kind and number", () => {
  expect([levelName("hosts", 1), levelName("leaf", 2), levelName("spine", 1)]).toEqual([
    "1 host",
    "2 leaf switches",
    "1 spine switch",
  ]);
});

test("switches that only reach each other are not said to have no links", () => {
  expect([levelName("unconnected", 1), levelName("unconnected", 4)]).toEqual([
    "1 switch that reaches no host",
    "4 switches that reach no host",
  ]);
});
