// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { helpAt, keysAt, type Schema, valuesAt } from "@/components/yaml_editor/schema_help";

const schema = (kind: string): Schema =>
  JSON.parse(readFileSync(new URL(`../../../../../configs/schemas/${kind}.json`, import.meta.url), "utf8"));

describe("a workload", () => {
  const root = schema("workload");
  test("has its keys, the required ones first", () => {
    const keys = keysAt(root, [], {}).map(({ key }) => key);
    expect(keys).toContain("flows");
    expect(keys.indexOf("duration_s")).toBeLessThan(keys.indexOf("warmup_s"));
  });
  test("has keys and values of flows", () => {
    expect(keysAt(root, ["flows", 0], {}).map(({ key }) => key)).toContain("rate_gbps");
    expect(valuesAt(root, ["flows", 0, "role"], {}).map(({ value }) => value)).toEqual(["contributor", "victim", "other"]);
  });
  test("has the keys of the pattern that is written, and of all while none is", () => {
    const incast = keysAt(root, ["patterns", 0], { patterns: [{ kind: "incast" }] }).map(({ key }) => key);
    expect(incast).toContain("sources");
    expect(incast).not.toContain("file");
    expect(keysAt(root, ["patterns", 0], { patterns: [{}] }).map(({ key }) => key)).toContain("file");
    expect(valuesAt(root, ["patterns", 0, "kind"], { patterns: [{}] }).map(({ value }) => value)).toContain("incast");
  });
  test("explains a key", () => {
    const help = helpAt(root, ["flows", 0, "rate_gbps"], {});
    expect(help?.description).toMatch(/Offered payload rate/);
    expect(help?.kind).toBe("number from 0.001 to 100000, or nothing");
    expect(helpAt(root, ["flows", 0, "message_bytes"], {})?.default).toBe("65536");
    expect(helpAt(root, ["nothing"], {})).toBeNull();
  });
});

describe("a campaign", () => {
  const root = schema("campaign");
  test("has keys of a parameter under any field", () => {
    expect(keysAt(root, ["space", "ca.ccti_timer"], {}).map(({ key }) => key)).toContain("log");
  });
  test("lists fields of the search space, objectives and constraints, with what they mean", () => {
    const fields = keysAt(root, ["space"], {});
    expect(fields.find(({ key }) => key === "ca.ccti_timer")?.help.description).not.toBe("");
    const constraints = keysAt(root, ["constraints"], {});
    expect(constraints.find(({ key }) => key === "spread")?.help.description).toMatch(/contributor throughput/);
    expect(helpAt(root, ["constraints", "spread"], {})?.description).toMatch(/contributor throughput/);
    const objectives = valuesAt(root, ["objectives", 0], {});
    expect(objectives.map(({ value }) => value)).toContain("victim_throughput");
  });
  test("has the samplers' names", () => {
    const kinds = valuesAt(root, ["sampler", "kind"], {}).map(({ value }) => value);
    expect(kinds).toContain("tpe");
  });
});
