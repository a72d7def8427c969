// @vitest-environment jsdom
// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { afterEach, describe, expect, it, vi } from "vitest";
import { get } from "@/api/request";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a request", () => {
  it("says so where nobody has touched the page for a minute", async () => {
    let told: string | null = null;
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      told = new Headers(init.headers).get("X-Unattended");
      return Response.json({});
    });
    const start = Date.now();
    window.dispatchEvent(new Event("keydown"));
    await get("/fabrics");
    expect(told).toBeNull();
    vi.spyOn(Date, "now").mockReturnValue(start + 3_600_000);
    await get("/fabrics");
    expect(told).toBe("1");
    window.dispatchEvent(new Event("pointerdown"));
    await get("/fabrics");
    expect(told).toBeNull();
  });
});
