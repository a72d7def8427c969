// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { bodyOf, settingsOf } from "@/pages/suggest/question";
import { whyNone } from "@/pages/suggest/suggestion_query";

const NOTHING = { workload: "", subnet: "", least: "", most: "", devices: [], model: "" };

describe("a question", () => {
  it("of which nothing is known leaves all to the service", () =>
    expect(bodyOf(NOTHING)).toEqual({ workloads: [], subnet: null, contributors: null, devices: null, model: {} }));
  it("has what is known", () =>
    expect(
      bodyOf({
        workload: "w",
        subnet: "2",
        least: "4",
        most: "32",
        devices: ["calibrated"],
        model: "model.ca.cnp_spacing_ns = 1600",
      }),
    ).toEqual({
      workloads: ["w"],
      subnet: 2,
      contributors: { least: 4, most: 32 },
      devices: ["calibrated"],
      model: { "ca.cnp_spacing_ns": 1600 },
    }));
  it("needs the most of contributors", () => expect(bodyOf({ ...NOTHING, least: "4" }).contributors).toBeNull());
});

it.each([
  ["ca.cnp_spacing_ns=1600, ca.becn_carrier=ack", { "ca.cnp_spacing_ns": 1600, "ca.becn_carrier": "ack" }],
  ["ca.cnp_spacing_ns=1600 ca.becn_carrier=ack,", { "ca.cnp_spacing_ns": 1600, "ca.becn_carrier": "ack" }],
  ["  ", {}],
  ["ca.cnp_spacing_ns", null],
  ["ca.cnp_spacing_ns=", null],
  ["ca.cnp_spacing_ns=1 600", null],
])("settings %s", (text, settings) => expect(settingsOf(text)).toEqual(settings));

it("names no field where one alone is wrong, and all where several are", () => {
  const errors = [{ field: "contributors", detail: "9 contributors are too many" }];
  expect(whyNone(new Problem(422, { detail: "contributors: 9 contributors …", errors }))).toBe("9 contributors are too many.");
  const two = [...errors, { field: "model", detail: "ca is unknown" }];
  expect(whyNone(new Problem(422, { detail: "contributors and model are wrong", errors: two }))).toBe(
    "Contributors and model are wrong.",
  );
});
