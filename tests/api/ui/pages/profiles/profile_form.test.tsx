// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { useState } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { DialectCounts, FabricState, ParameterHelp } from "@/api/types";
import { valueAt } from "@/pages/profiles/document";
import { ProfileForm } from "@/pages/profiles/profile_form";

const HELP = {
  help: "a value",
  unit: null,
  minimum: 0,
  maximum: 100,
  exclusive_minimum: false,
  default: null,
  kind: "integer",
  choices: [],
  required: false,
};
const PARAMETERS: ParameterHelp[] = ["switch.threshold", "nvidia.switch.aqs_time"].map((path) => ({
  ...HELP,
  path,
  label: path,
}));
const TEXT = "ibcc_profile: 1\nname: x\nswitch: {threshold: 15}\n";

const known = vi.hoisted(() => ({ counts: null as DialectCounts | null }));
vi.mock("@/api/queries/profiles", () => ({ useParameters: () => ({ data: PARAMETERS, isPending: false, error: null }) }));
vi.mock("@/api/queries/fabrics", () => ({
  useFabrics: () => ({ items: [{ name: "lab" }] }),
  useFabricState: (fabric: string) => ({
    data: { fabric, dialects: { documented: null, reported: known.counts } } as FabricState,
  }),
}));

afterEach(cleanup);

let latest = "";

function Form({ text, fabric }: { text: string; fabric: string }) {
  const [now, setNow] = useState(text);
  latest = now;
  return <ProfileForm text={now} validation={undefined} fabric={fabric} onFabric={() => {}} onChange={setNow} />;
}

const drawn = (counts: DialectCounts | null, text = TEXT, fabric = "lab") => {
  known.counts = counts;
  render(
    <MantineProvider>
      <MemoryRouter>
        <Form text={text} fabric={fabric} />
      </MemoryRouter>
    </MantineProvider>,
  );
  return screen.getAllByRole("group").map((group) => group.querySelector("legend")?.textContent);
};

const NVIDIA: DialectCounts = { a10: 0, nvidia: 9, both: 0, none: 0, unknown: 0 };

it("begins with what the fabric's devices have, and never hides values", () => {
  expect(drawn(NVIDIA)).toEqual(["NVIDIA: switch", "Switch"]);
  expect(screen.getByLabelText(/nvidia.switch.aqs_time/)).toBeTruthy();
  const a10 = within(screen.getByRole("group", { name: "Switch" }));
  expect(a10.getByLabelText(/switch.threshold/)).toHaveProperty("value", "15");
  expect(a10.getByText(/so these values have no effect there/)).toBeTruthy();
  expect(a10.queryByRole("button", { name: /Fold|Show/ })).toBeNull();
});

it("folds what no device is known to have, unfolds it on demand, and keeps it open while it is written", () => {
  expect(drawn(null, TEXT, "")).toEqual(["Switch", "NVIDIA: switch"]);
  expect(screen.queryByLabelText(/nvidia.switch.aqs_time/)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show NVIDIA: switch" }));
  const input = screen.getByLabelText(/nvidia.switch.aqs_time/);
  fireEvent.change(input, { target: { value: "4" } });
  expect([valueAt(latest, "nvidia.switch.aqs_time"), valueAt(latest, "ibcc_profile")]).toEqual([4, 2]);
  expect(screen.getByLabelText(/nvidia.switch.aqs_time/)).toBe(input);
  fireEvent.change(input, { target: { value: "" } });
  expect(valueAt(latest, "nvidia")).toBeUndefined();
  expect(screen.getByLabelText(/nvidia.switch.aqs_time/)).toBe(input);
  fireEvent.click(screen.getByRole("button", { name: "Fold NVIDIA: switch" }));
  expect(screen.queryByLabelText(/nvidia.switch.aqs_time/)).toBeNull();
});

it("leads to the fabric's devices where nothing is known of them", () => {
  drawn({ ...NVIDIA, nvidia: 0, unknown: 9 });
  expect(screen.getByText(/have is not known/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Show its devices" }).getAttribute("href")).toBe("/fabrics/lab?tab=devices");
});

const QUANTUM = `ibcc_profile: 2
name: x
nvidia:
  switch:
    aqs_time: 0
    thresholds:
      - {unit: percent, profile1_min: 10, profile1_max: 40}  # measured
`;

it("has a row for the thresholds of each profile, and keeps the rest of the list", () => {
  drawn(NVIDIA, QUANTUM);
  expect(screen.getByRole("textbox", { name: "Max of profile 1" })).toHaveProperty("value", "40");
  fireEvent.change(screen.getByRole("textbox", { name: "Max of profile 1" }), { target: { value: "50" } });
  fireEvent.change(screen.getByRole("textbox", { name: "Percent of profile 2" }), { target: { value: "7" } });
  expect(valueAt(latest, "nvidia.switch.thresholds")).toEqual([
    { unit: "percent", profile1_min: 10, profile1_max: 50, profile2_percent: 7 },
  ]);
  expect(latest).toContain("# measured");
  fireEvent.change(screen.getByRole("textbox", { name: "Percent of profile 2" }), { target: { value: "" } });
  expect(valueAt(latest, "nvidia.switch.thresholds.0.profile2_percent")).toBeUndefined();
});

it("begins a list of thresholds, and leaves those by VL to the text", () => {
  drawn(NVIDIA, "ibcc_profile: 1\nname: x\n");
  fireEvent.change(screen.getByRole("textbox", { name: "Min of profile 1" }), { target: { value: "16" } });
  expect(valueAt(latest, "nvidia.switch.thresholds")).toEqual([{ unit: "kilobytes", profile1_min: 16 }]);
  expect(valueAt(latest, "ibcc_profile")).toBe(2);
  cleanup();
  for (const list of ["[{vls: [0], unit: bytes}]", "[{vls: [0], unit: bytes}, {vls: [1], unit: bytes}]"]) {
    drawn(NVIDIA, `ibcc_profile: 2\nname: x\nnvidia: {switch: {thresholds: ${list}}}\n`);
    expect(screen.queryByRole("textbox", { name: "Min of profile 1" })).toBeNull();
    expect(screen.getByText(/Thresholds that differ by VL are a list/)).toBeTruthy();
    cleanup();
  }
});
