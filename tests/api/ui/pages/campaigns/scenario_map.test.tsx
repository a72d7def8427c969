// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import type { Campaign } from "@/api/types";
import { ScenarioMap } from "@/pages/campaigns/scenario_map";

afterEach(cleanup);

const drawn = (best: Record<string, unknown> | null) =>
  render(
    <MantineProvider>
      <MemoryRouter>
        <ScenarioMap campaign={{ id: "c1", name: "demo", best } as Campaign} />
      </MemoryRouter>
    </MantineProvider>,
  );

it("shows which profile serves which scenario, and the price of each", () => {
  drawn({
    scenarios: {
      sentence: "holds with 2 contributors",
      names: ["own devices, 2 contributors", "acks, 2 contributors"],
      rows: [
        { role: "recommended", origin: "trial 7", trial: 7, file: null, served: 2, of: 2, cells: ["served", "served"] },
        { role: "published", origin: "gran-2010", trial: null, file: null, served: 1, of: 2, cells: ["served", "victims 24 %"] },
      ],
      prices: [
        { served: 1, scenario: "own devices, 2 contributors", trial: 3, contributors_share: 0.984 },
        { served: 2, scenario: "acks, 2 contributors", trial: null, contributors_share: null },
      ],
    },
  });
  const rows = screen.getAllByRole("row").map(({ textContent }) => (textContent ?? "").trim());
  expect(rows.slice(0, 5)).toEqual([
    "Scenario Recommended Published",
    "Fromtrial 7gran-2010",
    "Serves2 of 21 of 2",
    "own devices, 2 contributorsservedserved",
    "acks, 2 contributorsservedvictims 24 %",
  ]);
  expect(rows[6]).toMatch(/1.*own devices, 2 contributors.*98.4 %.*trial 3/);
  expect(rows[7]).toMatch(/2.*acks, 2 contributors.*not served/);
  expect(screen.getByRole("link", { name: "trial 7" }).getAttribute("href")).toBe("/campaigns/c1/trials/7");
});

it("is silent about a campaign without scenarios, or of an earlier release", () => {
  for (const best of [{ scenarios: null }, {}, null]) {
    const { container } = drawn(best);
    expect(container.querySelector("p, table")).toBeNull();
    cleanup();
  }
});
