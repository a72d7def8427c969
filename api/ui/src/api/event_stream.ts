// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * A stream of server-sent events, read by `fetch`: the browser's EventSource receives only events whose names are registered, and
 * gives up on an answer that is not a stream, as during a restart of the service. Resumes after the last event (Last-Event-ID).
 */

import { sessionEnded } from "@/api/request";

export interface ServiceEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** Complete events of a text, and what is left of it. After the HTML standard, 9.2.6. */
export function takeEvents(text: string): { events: ServiceEvent[]; rest: string } {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.flatMap(parseBlock), rest };
}

function parseBlock(block: string): ServiceEvent[] {
  let [id, kind] = ["", "message"];
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, value] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "id") id = value ?? "";
    else if (name === "event") kind = value ?? "";
    else if (name === "data") data.push(value ?? "");
  }
  if (data.length === 0) return [];
  try {
    return [{ id, kind, data: JSON.parse(data.join("\n")) as unknown }];
  } catch {
    return [];
  }
}

export type LinkState = "connecting" | "live" | "lost";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Follows the stream at `url` until the returned function is called. */
export function follow(url: string, onEvent: (event: ServiceEvent) => void, onState: (state: LinkState) => void): () => void {
  const ending = new AbortController();
  let last = "";
  let pause = FIRST_PAUSE_MS;
  const once = async () => {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last) headers["Last-Event-ID"] = last;
    const response = await fetch(url, { headers, credentials: "same-origin", signal: ending.signal, cache: "no-store" });
    if (response.status === 401) sessionEnded();
    if (!response.ok || !response.body) return;
    onState("live");
    pause = FIRST_PAUSE_MS;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { events, rest } = takeEvents(text + read.value);
      text = rest;
      for (const event of events) {
        last = event.id || last;
        onEvent(event);
      }
    }
  };
  const forever = async () => {
    while (!ending.signal.aborted) {
      await once().catch(() => {});
      if (ending.signal.aborted) return;
      onState("lost");
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };
  void forever();
  return () => ending.abort();
}
