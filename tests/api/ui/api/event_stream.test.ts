// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { afterEach, describe, expect, it, vi } from "vitest";
import { follow, type ServiceEvent, takeEvents } from "@/api/event_stream";

describe("takeEvents", () => {
  it("takes complete events, and keeps the beginning of the next", () => {
    const { events, rest } = takeEvents('id: 7\nevent: job\ndata: {"state":"done"}\n\n: still here\n\nid: 8\nevent: tr');
    expect(events).toEqual([{ id: "7", kind: "job", data: { state: "done" } }]);
    expect(rest).toBe("id: 8\nevent: tr");
  });
  it("joins lines of data, and reads CRLF", () => {
    expect(takeEvents("data: [1,\r\ndata: 2]\r\n\r\n").events).toEqual([{ id: "", kind: "message", data: [1, 2] }]);
  });
  it("passes over what is not JSON", () => expect(takeEvents("data: {\n\n").events).toEqual([]));
});

describe("follow", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("takes up the stream where it broke off, and stops when it is told to", async () => {
    const asked: (string | null)[] = [];
    vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
      asked.push(new Headers(init.headers).get("Last-Event-ID"));
      if (asked.length === 2) return new Response("restarting", { status: 503 });
      const number = asked.length;
      return new Response(`id: ${number}\nevent: trial\ndata: {"number":${number}}\n\n`);
    });
    const heard: ServiceEvent[] = [];
    const states: string[] = [];
    await new Promise<void>((done) => {
      const stop = follow(
        "/events",
        (event) => {
          heard.push(event);
          if (heard.length === 2) {
            stop();
            done();
          }
        },
        (state) => states.push(state),
      );
    });
    expect(asked).toEqual([null, "1", "1"]);
    expect(heard.map(({ data }) => data)).toEqual([{ number: 1 }, { number: 3 }]);
    expect(states.slice(0, 3)).toEqual(["live", "lost", "lost"]);
  });
});
