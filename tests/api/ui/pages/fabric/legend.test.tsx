// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { CongestionSource, MeasuredCc, TopologyNode } from "@/api/types";
import { HeatLegend } from "@/pages/fabric/heat_legend";
import { describe as words } from "@/pages/fabric/map_nodes";
import { MARKS, MarkLegend, worstMark } from "@/pages/fabric/marks";

afterEach(cleanup);

const NOTHING: CongestionSource = {
  source: "none",
  unread: "No campaign has measured this fabric yet.",
  choices: [],
  cc: null,
  profile: null,
  at: null,
  campaign: null,
  workload: null,
};
const MEASURED: CongestionSource = {
  ...NOTHING,
  source: "measurement",
  unread: null,
  choices: [
    { cc: "off", profile: "off", trial: null, is_base: true },
    { cc: "recommended", profile: "night-1", trial: 7, is_base: false },
  ],
  cc: "recommended",
  profile: "night-1",
  at: "2026-01-02T03:04:05Z",
  campaign: "first",
  workload: "incast",
};

const drawn = (source: CongestionSource, onChoose = (_: MeasuredCc) => {}) =>
  render(<HeatLegend source={source} onChoose={onChoose} />, { wrapper: MantineProvider });

it("says why nothing is known, and no scale that would mean nothing", () => {
  drawn(NOTHING);
  expect(document.body.textContent).toContain("Congestion is not known. No campaign has measured this fabric yet.");
  expect(document.querySelector(".scale")).toBeNull();
});

it("says whose congestion it is, and lets one choose another", async () => {
  const chosen: MeasuredCc[] = [];
  drawn(MEASURED, (cc) => chosen.push(cc));
  expect(document.body.textContent).toMatch(/with profile night-1, workload incast, by campaign first, at .*2026/);
  await userEvent.click(screen.getByText("CC off (base)"));
  expect(chosen).toEqual(["off"]);
});

it("of logs names the profile in force", () => {
  drawn({ ...MEASURED, source: "logs", choices: [], cc: null });
  expect(document.body.textContent).toMatch(/From CongestionLogs, with profile night-1 in force, read until .*2026/);
  expect(screen.queryByRole("radiogroup")).toBeNull();
});

it("explains the marks that are there, each by a shape of its own", () => {
  expect(new Set(Object.values(MARKS).map(({ sign }) => sign)).size).toBe(Object.keys(MARKS).length);
  render(<MarkLegend marks={["drifted", "missing"]} />);
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "missing: in the wiring, and not on the fabric",
    "drifted: holds other values than wanted",
  ]);
  expect(worstMark(["new", "drifted", "timing-out"])).toBe("timing-out");
  expect(worstMark([])).toBeUndefined();
});

it("a node says its marks to screen readers", () => {
  const node: TopologyNode = {
    id: "a",
    guid: null,
    name: "H1 … H9",
    kind: "group",
    count: 9,
    x: 0,
    y: 0,
    congestion: null,
    marks: ["drifted", "missing"],
    marked: 2,
  };
  expect(words(node)).toBe("H1 … H9, group of 9 devices, congestion unknown, 2 devices: missing, drifted");
  expect(words({ ...node, kind: "host", count: 1, marks: [], marked: 0, congestion: 0.25 })).toBe(
    "H1 … H9, host, congestion 25\u00a0%",
  );
});
