// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { firmwareText } from "@/format/device";

describe("firmware", () => {
  it.each([
    ["31.2012.1024", null, "31.2012.1024"],
    [null, "no answer to two requests", "unknown: no answer to two requests"],
    [null, "not applicable", "not applicable"],
    [null, null, "unknown"],
  ])("%s, %s is shown as %s", (firmware, reason, text) => {
    expect(firmwareText({ firmware, firmware_reason: reason })).toBe(text);
  });
});
