// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { DialectCounts, ParameterHelp } from "@/api/types";
import { sections } from "@/pages/profiles/sections";

const PATHS = [
  "enable",
  "link.rate_gbps",
  "switch.threshold",
  "ca.level",
  "cct.ccti_limit",
  "nvidia.switch.aqs_time",
  "nvidia.adapter.type",
];
const PARAMETERS = PATHS.map((path) => ({ path }) as ParameterHelp);
const NOBODY: DialectCounts = { a10: 0, nvidia: 0, both: 0, none: 0, unknown: 0 };
const A10 = ["switch", "ca", "cct"];
const NVIDIA = ["nvidia.switch", "nvidia.adapter"];
const COMMON = ["", "link"];

function arranged(counts: Partial<DialectCounts> | null, written: string[] = A10) {
  const devices = counts && { fabric: "lab", counts: { ...NOBODY, ...counts } };
  const made = sections(PARAMETERS, (name) => written.includes(name), devices);
  const whyOf = (name: string) => made.find((section) => section.name === name)?.why;
  return {
    names: made.map(({ name }) => name),
    folded: made.filter(({ folded }) => folded).map(({ name }) => name),
    a10: whyOf("ca"),
    nvidia: whyOf("nvidia.adapter"),
  };
}

describe("sections of a profile's form", () => {
  it("are annex A10's first where no fabric is chosen, or nothing is known of it", () => {
    for (const counts of [null, { unknown: 9 }, {}])
      expect(arranged(counts)).toEqual({
        names: [...COMMON, ...A10, ...NVIDIA],
        folded: NVIDIA,
        a10: "",
        nvidia: "For devices that have NVIDIA's attributes.",
      });
  });

  it("are those that the fabric's devices have, and those with values are never folded", () => {
    const found = arranged({ nvidia: 9 }, ["cct"]);
    expect(found.names).toEqual([...COMMON, ...NVIDIA, ...A10]);
    expect(found.folded).toEqual(["switch", "ca"]);
    expect(found.nvidia).toBe("For all devices of lab, which have NVIDIA's attributes.");
    expect(found.a10).toBe("No device of lab has annex A10's attributes.");
  });

  it("say that values have no effect where no device has the attributes", () => {
    expect(arranged({ nvidia: 8, none: 1 }).a10).toBe(
      "No device of lab has annex A10's attributes, so these values have no effect there.",
    );
  });

  it("are all shown on a mixed fabric", () => {
    const found = arranged({ a10: 1, nvidia: 2, both: 3 }, []);
    expect(found.folded).toEqual([]);
    expect(found.a10).toMatch(/^For 4 of the 6 devices/);
    expect(found.nvidia).toMatch(/^For 5 of the 6 devices/);
  });

  it("claim nothing of devices that have not answered", () => {
    const found = arranged({ a10: 3, unknown: 2 }, NVIDIA);
    expect(found.nvidia).toBe(
      "No device of lab is known to have NVIDIA's attributes; 2 devices not asked, or without an answer yet.",
    );
    expect(found.a10).toBe(
      "For 3 of the 5 devices of lab, which have annex A10's attributes; 2 devices not asked, or without an answer yet.",
    );
  });
});
