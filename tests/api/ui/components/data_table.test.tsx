// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { compareCells, DataTable } from "@/components/data_table";

interface Row {
  name: string;
  gbps: number | null;
}

const ROWS: Row[] = [
  { name: "b", gbps: 2 },
  { name: "a10", gbps: null },
  { name: "a9", gbps: 11 },
];

const draw = (rows: Row[], atOnce?: number) =>
  render(
    <MantineProvider>
      <DataTable
        caption="Flows"
        columns={[
          { key: "name", title: "Flow", head: true, value: (row: Row) => row.name },
          { key: "gbps", title: "Mean", unit: "Gb/s", numeric: true, value: (row: Row) => row.gbps },
        ]}
        rows={rows}
        rowKey={(row) => row.name}
        atOnce={atOnce}
        empty="No flow."
      />
    </MantineProvider>,
  );

const names = () => screen.getAllByRole("rowheader").map((cell) => cell.textContent);

describe("a table", () => {
  it("sorts by a click, numbers as numbers, what is missing last in either direction", () => {
    draw(ROWS);
    expect(names()).toEqual(["b", "a10", "a9"]);
    const head = within(screen.getAllByRole("columnheader")[1] as HTMLElement).getByRole("button");
    fireEvent.click(head);
    expect(names()).toEqual(["b", "a9", "a10"]);
    fireEvent.click(head);
    expect(names()).toEqual(["a9", "b", "a10"]);
    expect(screen.getAllByRole("columnheader")[1]?.getAttribute("aria-sort")).toBe("descending");
  });
  it("shows long lists by parts", () => {
    draw(ROWS, 2);
    expect(names()).toHaveLength(2);
    fireEvent.click(screen.getByText("Show more"));
    expect(names()).toHaveLength(3);
  });
  it("says that there is nothing", () => {
    draw([]);
    expect(screen.getByText("No flow.")).toBeTruthy();
  });
});

it("compares names with numbers as people do", () => expect(["a10", "a9"].sort(compareCells)).toEqual(["a9", "a10"]));
