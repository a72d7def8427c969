// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { count, field, number, percent, quantity, titleOf, unitOf } from "@/format/quantity";

describe("number", () => {
  it.each([
    [0, "0"],
    [13.184719, "13.18"],
    [0.00327, "0.00327"],
    [-2.5, "−2.5"],
    [9999, "9999"],
    [65535, "65,535"],
    [0.00001234, "1.23e−5"],
    [null, "–"],
    [undefined, "–"],
    [Number.POSITIVE_INFINITY, "∞"],
  ])("%s is %s", (value, text) => expect(number(value)).toBe(text));
});

describe("units", () => {
  it("come from the names' suffixes, the longest that fits", () => {
    expect(unitOf("treatment_variation_gbps2")).toBe("Gb²/s²");
    expect(unitOf("spread_gbps")).toBe("Gb/s");
    expect(unitOf("uptime_us")).toBe("µs");
    expect(unitOf("full_scale_packet_times")).toBe("packet times");
  });
  it("say of microseconds which no device holds whose they are", () => {
    for (const name of ["full_scale_us", "cct.curve.full_scale_us", "overrides[node=H1].cct.curve.full_scale_us"]) {
      expect(unitOf(name)).toBe("µs of the profile's link");
    }
  });
  it("are none of a raw wire value", () => expect(unitOf("ca.ccti_timer")).toBe(""));
  it("leave the title", () => expect(titleOf("treatment_variation_gbps2")).toBe("Treatment variation"));
  it("stand behind a space that does not break", () => {
    expect(quantity(2.5, "Gb/s")).toBe("2.5\u00a0Gb/s");
    expect(field("spread_gbps", 0.13)).toBe("0.13\u00a0Gb/s");
    expect(quantity(null, "Gb/s")).toBe("–");
    expect(percent(0.0934, 1)).toBe("9.3\u00a0%");
  });
  it("agree in number", () => {
    expect(count(1, "MAD")).toBe("1 MAD");
    expect(count(2, "leaf switch", "leaf switches")).toBe("2 leaf switches");
  });
});
