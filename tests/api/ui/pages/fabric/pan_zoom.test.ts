// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { zoomed } from "@/pages/fabric/pan_zoom";

const WHOLE = { w: 1000, h: 500 };
const ALL = { x: 0, y: 0, ...WHOLE };

it("keeps the point that is pointed at where it is", () => {
  const closer = zoomed(ALL, 0.5, WHOLE, { x: 250, y: 100 });
  expect(closer).toEqual({ x: 125, y: 50, w: 500, h: 250 });
});

it("keeps the middle without one", () => expect(zoomed(ALL, 0.5, WHOLE)).toEqual({ x: 250, y: 125, w: 500, h: 250 }));

it("ends close by and far away", () => {
  expect(zoomed(ALL, 1e-9, WHOLE).w).toBeCloseTo(40);
  expect(zoomed(ALL, 1e9, WHOLE).w).toBeCloseTo(1600);
});
