// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { focusNow, focusOrigin } from "@/components/focus";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `
    <button id="more">More</button><button id="other">Other</button>
    <div role="menu" aria-labelledby="more"><button id="item">Clone</button></div>`;
});
afterEach(() => vi.useRealTimers());

const element = (id: string) => document.getElementById(id) as HTMLElement;

it("goes back to what had the focus", () => {
  element("other").focus();
  const origin = focusOrigin();
  element("other").blur();
  focusNow(origin);
  vi.runAllTimers();
  expect(document.activeElement).toBe(element("other"));
});

it("goes back to the button of the menu whose item is gone", () => {
  element("item").focus();
  expect(focusOrigin()).toBe(element("more"));
});

it("goes back to the button of a menu that is gone itself", () => {
  element("item").focus();
  document.querySelector("[role=menu]")?.remove();
  expect(focusOrigin()).toBe(element("more"));
});

it("leaves the focus where the page has put it meanwhile", () => {
  element("other").focus();
  const origin = focusOrigin();
  element("more").focus();
  focusNow(origin);
  vi.runAllTimers();
  expect(document.activeElement).toBe(element("more"));
});

it("has nowhere to go back to from nowhere", () => {
  (document.activeElement as HTMLElement | null)?.blur();
  expect(focusOrigin()).toBe(null);
  focusNow(null);
  vi.runAllTimers();
  expect(document.activeElement).toBe(document.body);
});
