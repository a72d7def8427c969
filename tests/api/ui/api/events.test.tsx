// @vitest-environment jsdom
// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ServiceEvent } from "@/api/event_stream";
import { useLive } from "@/api/events";

const heard: ((event: ServiceEvent) => void)[] = [];
vi.mock("@/api/event_stream", () => ({
  follow: (_url: string, onEvent: (event: ServiceEvent) => void) => {
    heard.push(onEvent);
    return () => {};
  },
}));

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("asks anew for what the events of a moment make stale, once, and for nothing else", () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries");
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  renderHook(() => useLive(["jobs", "checks"], ({ kind }) => (kind === "job" ? [["jobs"], ["fabrics"]] : [["checks"]])), {
    wrapper,
  });
  const asked = () => invalidate.mock.calls.map(([filter]) => filter?.queryKey?.[0]);
  const happens = (kind: string) => heard.at(-1)?.({ id: "", kind, data: {} });
  happens("job");
  happens("job");
  expect(asked()).toEqual([]);
  vi.runAllTimers();
  expect(asked()).toEqual(["jobs", "fabrics"]);
  happens("check.night");
  vi.runAllTimers();
  expect(asked()).toEqual(["jobs", "fabrics", "checks"]);
});
