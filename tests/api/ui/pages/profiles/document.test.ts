// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { NEW_PROFILE, read, valueAt, withSetting, withValue } from "@/pages/profiles/document";
import packaged from "../../../../../configs/profiles/gran-2010.yaml?raw";

const TEXT = `ibcc_profile: 1
name: off # like YAML 1.2: a string
ca:
  ccti_timer: 150 # 1.024 µs each
  sls: [0, 1]
`;

describe("valueAt", () => {
  it("reads by YAML 1.2's rules", () => expect(valueAt(TEXT, "name")).toBe("off"));
  it("reads numbers and lists", () => {
    expect(valueAt(TEXT, "ca.ccti_timer")).toBe(150);
    expect(valueAt(TEXT, "ca.sls")).toEqual([0, 1]);
  });
  it("has nothing of what is not there, or cannot be read", () => {
    expect(valueAt(TEXT, "cct.ccti_limit")).toBeUndefined();
    expect(valueAt("a: [", "a")).toBeUndefined();
  });
});

describe("withValue", () => {
  it("changes one value, and leaves comments and the rest alone", () =>
    expect(withValue(TEXT, "ca.ccti_timer", 300)).toBe(TEXT.replace("150", "300")));
  it("makes the maps that lack", () =>
    expect(valueAt(withValue(TEXT, "cct.curve.exponent", 2.5), "cct.curve")).toEqual({ exponent: 2.5 }));
  it("takes a key out, with the maps that would be empty", () => {
    const text = withValue(TEXT, "cct.curve.exponent", 2.5);
    expect(withValue(text, "cct.curve.exponent", undefined)).toBe(TEXT);
  });
  it("leaves a text that cannot be read as it is", () => expect(withValue("a: [", "a", 1)).toBe("a: ["));
  it("changes a new profile's curve within its braces", () =>
    expect(withValue(NEW_PROFILE, "cct.curve.full_scale_us", 9)).toContain(
      "curve: {kind: power, full_scale_us: 9, at_index: 106, exponent: 2}",
    ));
});

describe("withSetting", () => {
  it("makes a profile with NVIDIA's values one of version 2, as readers of version 1 refuse them", () => {
    const text = withSetting(TEXT, "nvidia.adapter.type", "dcqcn");
    expect(read(text).toJS()).toEqual({ ...read(TEXT).toJS(), ibcc_profile: 2, nvidia: { adapter: { type: "dcqcn" } } });
    expect(withSetting(text, "ca.ccti_timer", 7)).toContain("ibcc_profile: 2");
  });
  it("leaves the version of others alone", () => {
    expect(withSetting(TEXT, "ca.ccti_timer", 300)).toBe(TEXT.replace("150", "300"));
    expect(withSetting(TEXT, "nvidia.adapter.type", undefined)).toBe(TEXT);
  });
});

describe("a new profile", () => {
  it("has the values of the packaged gran-2010", () => {
    const { name, ...values } = read(NEW_PROFILE).toJS();
    const { name: packagedName, ...published } = read(packaged).toJS();
    expect([name, packagedName]).toEqual(["my-profile", "gran-2010"]);
    // Two values are the defaults: each document gives one of them and leaves the other out.
    const defaults = { sls: "all", ccti_min: 0 };
    expect({ ...values, ca: { ...defaults, ...values.ca } }).toEqual({ ...published, ca: { ...defaults, ...published.ca } });
  });
});
