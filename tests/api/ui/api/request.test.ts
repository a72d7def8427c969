// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { address, get, onUnauthenticated, path, post, send, setCsrfToken } from "@/api/request";

let asked: { url: string; init: RequestInit }[] = [];
let answer: () => Response = () => Response.json({});

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return answer();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  setCsrfToken(null);
  onUnauthenticated(() => {});
});

const headers = () => new Headers(asked[0]?.init.headers);

describe("addresses", () => {
  it("escape names, and leave out what is not given", () => {
    expect(path`/fabrics/${"a/b c"}/devices/${7}`).toBe("/fabrics/a%2Fb%20c/devices/7");
    expect(address("/jobs", { kind: "", state: undefined, limit: 5 })).toBe("/api/v1/jobs?limit=5");
  });
  it("repeat a list's key", () => expect(address("/t", { expand: ["a:1", "b"] })).toBe("/api/v1/t?expand=a%3A1&expand=b"));
});

describe("requests", () => {
  it("carry the CSRF token only where something changes", async () => {
    setCsrfToken("secret");
    await get("/fabrics");
    expect(headers().has("X-CSRF-Token")).toBe(false);
    asked = [];
    await post("/fabrics", { name: "x" });
    expect(headers().get("X-CSRF-Token")).toBe("secret");
  });
  it("have a key of their own where a fabric is touched", async () => {
    await post("/fabrics/x/verify", undefined, { idempotent: true });
    await post("/fabrics/x/verify", undefined, { idempotent: true });
    const keys = asked.map(({ init }) => new Headers(init.headers).get("Idempotency-Key"));
    expect(keys[0]).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });
  it("name the state that a change was meant for", async () => {
    await send("PUT", "/profiles/x", { body: {}, ifMatch: '"3"' });
    expect(headers().get("If-Match")).toBe('"3"');
  });
});

describe("problems", () => {
  it("are thrown with the service's sentence and its fields", async () => {
    answer = () =>
      Response.json({ detail: "name: 'x' is taken.", errors: [{ field: "body.name", detail: "is taken" }] }, { status: 409 });
    const problem = (await post("/profiles", {}).catch((error: unknown) => error)) as Problem;
    expect(problem).toBeInstanceOf(Problem);
    expect(problem.status).toBe(409);
    expect(problem.message).toBe("name: 'x' is taken.");
    expect(problem.field("name")).toBe("is taken");
  });
  it("of a proxy, which are no JSON, are thrown too", async () => {
    answer = () => new Response("<html>", { status: 502, statusText: "Bad Gateway" });
    await expect(get("/fabrics")).rejects.toThrow("Bad Gateway");
  });
  it("tell the shell when the session has ended, but not when a password was wrong", async () => {
    const ended = vi.fn();
    onUnauthenticated(ended);
    answer = () => Response.json({}, { status: 401 });
    await post("/session", {}).catch(() => {});
    expect(ended).not.toHaveBeenCalled();
    await get("/fabrics").catch(() => {});
    expect(ended).toHaveBeenCalledOnce();
  });
});
