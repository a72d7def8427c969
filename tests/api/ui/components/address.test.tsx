// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useAddress, useTyped } from "@/components/address";

const at = (search: string) => ({
  wrapper: ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[`/audit${search}`]}>{children}</MemoryRouter>
  ),
});

const drawn = (search: string) =>
  renderHook(() => {
    const address = useAddress();
    return { address, typed: useTyped(address, "q"), search: useLocation().search };
  }, at(search)).result;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("useAddress", () => {
  it("changes what it is given and leaves the rest", () => {
    const page = drawn("?tab=audit&days=7&fabric=lab");
    expect(page.current.address.get("days")).toBe("7");
    expect(page.current.address.get("who")).toBe("");
    act(() => page.current.address.set({ days: "", fabric: null, who: "anna & bob" }));
    expect(page.current.search).toBe("?tab=audit&who=anna+%26+bob");
  });
});

describe("useTyped", () => {
  it("begins with what the address says", () => {
    expect(drawn("?q=leaf").current.typed).toMatchObject({ value: "leaf", settled: "leaf" });
  });

  it("is settled, and in the address, a moment after the last key", () => {
    const page = drawn("?tab=devices");
    act(() => page.current.typed.type("s"));
    act(() => void vi.advanceTimersByTime(200));
    act(() => page.current.typed.type("sp"));
    act(() => void vi.advanceTimersByTime(200));
    expect(page.current.typed).toMatchObject({ value: "sp", settled: "" });
    expect(page.current.search).toBe("?tab=devices");
    act(() => void vi.advanceTimersByTime(60));
    expect(page.current.typed.settled).toBe("sp");
    expect(page.current.search).toBe("?tab=devices&q=sp");
    act(() => page.current.typed.type(""));
    act(() => void vi.advanceTimersByTime(300));
    expect(page.current.search).toBe("?tab=devices");
  });
});
