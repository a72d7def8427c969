// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { type Label, type Labelled, LINE, placeLabels } from "@/pages/fabric/place_labels";

const measure = (text: string) => text.length * 7;

const row = (n: number, apart: number, forms: (i: number) => string[], y = 50): Labelled[] =>
  Array.from({ length: n }, (_, i) => ({ id: `${y} ${i}`, x: i * apart, y, radius: 8, forms: forms(i), first: false }));

function overlaps(labels: Label[]): [string, string][] {
  const boxes = labels.map(({ text, x, y }) => ({ text, left: x - measure(text) / 2, right: x + measure(text) / 2, y }));
  return boxes.flatMap((a, i) =>
    boxes
      .slice(i + 1)
      .filter((b) => a.left < b.right && b.left < a.right && Math.abs(a.y - b.y) < LINE)
      .map((b): [string, string] => [a.text, b.text]),
  );
}

describe("placeLabels", () => {
  it("covers no name by another, at any zoom", () => {
    for (const apart of [0.5, 3, 10, 27, 60, 200, 900]) {
      for (const room of [60, 80, 130, 400]) {
        const levels = [
          row(40, apart, (i) => [`MF0;A10-P1-IBLEAF-${i}:MQM`, `…IBLEAF-${i}`, `…${i}`], 50),
          row(300, apart / 4, (i) => [`node ${i} HCA-1`, `…${i}`], 50 + room),
        ];
        expect(overlaps(placeLabels(levels, { room, width: 1000, height: 2000 }, measure))).toEqual([]);
      }
    }
  });
  it("shows longer forms, and more names, as one zooms in", () => {
    const at = (apart: number) =>
      placeLabels(
        [row(30, apart, (i) => [`MF0;A10-P1-IBLEAF-0${i}`, `…${i}`])],
        { room: 130, width: 9000, height: 2000 },
        measure,
      );
    expect(at(8).length).toBeLessThan(at(30).length);
    expect(at(30).map(({ text }) => text)).toContain("…29");
    expect(at(300).map(({ text }) => text)).toContain("MF0;A10-P1-IBLEAF-029");
  });
  it("shows what is looked for before all others", () => {
    const nodes = row(200, 1, (i) => [`node-${i}`]);
    const wanted = nodes.map((node, i) => ({ ...node, first: i === 137 }));
    expect(placeLabels([wanted], { room: 130, width: 1000, height: 2000 }, measure).map(({ text }) => text)).toContain(
      "node-137",
    );
  });
  it("stays within the view, and has fewer lines at its lower edge", () => {
    const level = row(16, 60, (i) => [`…Zürich-B12 n00${i}`]);
    const bottoms = (height: number) => placeLabels([level], { room: 130, width: 1000, height }, measure).map(({ y }) => y);
    for (const height of [40, 50, 60, 70, 200]) expect(Math.max(0, ...bottoms(height))).toBeLessThan(height);
    expect(bottoms(200).length).toBeGreaterThan(bottoms(50).length);
  });
  it("shows none where levels are too close", () => {
    const levels = [row(3, 100, (i) => [`a${i}`]), row(3, 100, (i) => [`b${i}`], 70)];
    expect(placeLabels(levels, { room: 20, width: 1000, height: 2000 }, measure).map(({ text }) => text)).toEqual([
      "b0",
      "b1",
      "b2",
    ]);
  });
});
