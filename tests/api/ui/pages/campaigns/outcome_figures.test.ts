// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { Campaign } from "@/api/types";
import { figuresOf, starved } from "@/pages/campaigns/outcome_figures";

const OWN = { victim_throughput_gbps: 13, contributor_total_gbps: 13, spread_gbps: 0.4 };
const OFF = { victim_throughput_gbps: 2.2, contributor_total_gbps: 13.3, spread_gbps: 0.001 };
const WORSE = { ...OFF, spread_gbps: 2.5 };

const figures = (metrics: unknown) =>
  figuresOf({
    best: {
      number: 7,
      values: { treatment_variation: 0.02 },
      beside: { baseline: { treatment_variation: 3e-7 }, expert: { treatment_variation: 0.03 } },
      spread_gbps: 0.4,
      metrics,
    },
    objectives: [{ name: "treatment_variation", title: "treatment variation", unit: "Gb²/s²", meaning: "variance" }],
  } as unknown as Campaign);

it("says that flows starve where another profile is more equal for that", () => {
  const [variation, spread] = figures({ recommended: OWN, baseline: OFF, expert: OWN });
  expect(variation?.beside).toMatch(/^CC off 3\.00e−7.Gb²\/s² while a victim gets only 2\.2.Gb\/s, published 0\.03.Gb²\/s²$/);
  expect(spread?.beside).toMatch(/^CC off 0\.001.Gb\/s while a victim gets only 2\.2.Gb\/s, published 0\.4.Gb\/s$/);
});

it("is silent about flows that starve where equality is worse too", () => {
  const [, spread] = figures({ recommended: OWN, baseline: WORSE, expert: OWN });
  expect(spread?.beside).toMatch(/^CC off 2\.5.Gb\/s, published/);
});

it("compares nothing that an earlier release did not store", () => {
  const [variation, spread] = figures(undefined);
  expect(variation?.beside).toMatch(/^CC off 3\.00e−7.Gb²\/s², published/);
  expect(spread?.beside).toBe("");
});

it("names contributors where they are the ones that get less", () => {
  expect(starved({ ...OWN, contributor_total_gbps: 5 }, OWN)).toMatch(/^ while contributors get only 5/);
  expect(starved({ ...OWN, victim_throughput_gbps: null }, OWN)).toBe("");
});
