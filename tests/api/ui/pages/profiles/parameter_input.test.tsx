// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { ParameterHelp } from "@/api/types";
import { asSentence, ParameterInput, parseValue, rangeText, textOf } from "@/pages/profiles/parameter_input";

const TIMER: ParameterHelp = {
  path: "ca.ccti_timer",
  label: "CCTI timer",
  help: "how often a flow recovers one step",
  unit: "1.024 µs",
  minimum: 0,
  maximum: 65535,
  exclusive_minimum: false,
  default: null,
  kind: "integer",
  choices: [],
  required: true,
};

describe("rangeText", () => {
  it("says range, unit and default", () => {
    expect(rangeText(TIMER)).toBe("0 to 65,535 in units of 1.024 µs");
    expect(rangeText({ ...TIMER, minimum: 0, maximum: null, exclusive_minimum: true, unit: "Gb/s", default: 16 })).toBe(
      "above 0 Gb/s, default 16",
    );
    expect(rangeText({ ...TIMER, minimum: null, maximum: null, unit: null, default: "none" })).toBe("default none");
  });
});

describe("values as text", () => {
  it.each([
    ["ca_ports", "ca_ports"],
    ["150", 150],
    ["1, 2, 5", [1, 2, 5]],
    ["4,", [4]],
    ["", undefined],
    ['{"shift": 0, "multiplier": 3}', { shift: 0, multiplier: 3 }],
  ])("%s is read", (text, value) => expect(parseValue(text)).toEqual(value));
  it("come out as they are typed", () => expect(textOf([1, 2, 5])).toBe("1, 2, 5"));
});

it("makes a sentence of a phrase", () => {
  expect(asSentence("ports that mark")).toBe("Ports that mark.");
  expect(asSentence("Why not?")).toBe("Why not?");
});

it("shows the help, the key and the service's objection, and tells of numbers", () => {
  const change = vi.fn();
  render(
    <MantineProvider>
      <ParameterInput parameter={TIMER} value={150} problem="ca.ccti_timer is 70000; 65535 is the most" onChange={change} />
    </MantineProvider>,
  );
  const input = screen.getByLabelText(/CCTI timer/);
  expect(input).toHaveProperty("value", "150");
  expect(screen.getByText("ca.ccti_timer")).toBeTruthy();
  expect(screen.getByText(/How often a flow recovers one step\./)).toBeTruthy();
  expect(screen.getByText(/65535 is the most/)).toBeTruthy();
  fireEvent.change(input, { target: { value: "300" } });
  expect(change).toHaveBeenLastCalledWith(300);
  fireEvent.change(input, { target: { value: "" } });
  expect(change).toHaveBeenLastCalledWith(undefined);
});
