// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Capacity, FabricRouting } from "@/api/types";
import { LowCapacity } from "@/pages/fabric/low_capacity";
import { RoutingTab } from "@/pages/fabric/routing_tab";

const known = vi.hoisted(() => ({ may: true, mutate: vi.fn(), data: null as unknown }));
vi.mock("@/api/queries/session", () => ({ useMay: () => known.may }));
vi.mock("@/api/queries/routing", () => ({
  useFabricRouting: () => ({ data: known.data, error: null, isPending: false }),
  useTryRouting: () => ({ mutate: known.mutate, isPending: false, error: null }),
  routingFile: (fabric: string, name?: string) => `/files/${fabric}/${name ?? "all"}`,
}));

afterEach(() => {
  cleanup();
  known.may = true;
});

const CAPACITY: Capacity = {
  routing: "minhop",
  share: 0.19,
  best: 0.57,
  limit: "12 links lead out of 'leaf' with 24 hosts",
  of_best: 0.333,
  orders: { median: 0.2, low: 0.17, high: 0.23 },
  warning: "by routing minhop, fabric 'x' carries 19%",
  ways_out: ["run OpenSM by the advised line", "import tables"],
};
const TRIAL = {
  fell_back: false,
  credit_loop: null,
  unreachable_pairs: 0,
  sentences: ["OpenSM came up with engine updn on the emulated twin"],
};

function routing(more: Partial<FabricRouting>): FabricRouting {
  return {
    version: 1,
    subnets: [],
    advice: {
      fabric: "x",
      shape: { kind: "fat-tree", text: "fat tree", missing: [] },
      opensm: { engines: [], reason: "so" },
      routing: "minhop",
      chosen: { routing: "updown", reason: "so" },
      engines: [],
      warnings: [],
      capacity: CAPACITY,
    },
    line: { text: "opensm -R updn", folder: "/etc/opensm", files: ["root-guids", "opensm.conf"] },
    trial: null,
    tried_at: null,
    untried: "nobody has tried this line on the fabric",
    job: null,
    ...more,
  };
}

const drawn = (what: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <MemoryRouter>{what}</MemoryRouter>
      </MantineProvider>
    </QueryClientProvider>,
  );

it("warns in words, with an icon and the ways out, and only where the share is low", () => {
  const { container } = drawn(<LowCapacity capacity={CAPACITY} />);
  expect(screen.getByText(/By routing minhop, fabric 'x' carries 19%/)).toBeTruthy();
  expect(container.querySelector("svg")).not.toBeNull();
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual(CAPACITY.ways_out);
  cleanup();
  drawn(<LowCapacity capacity={{ ...CAPACITY, warning: null }} />);
  expect(screen.queryByRole("status")).toBeNull();
}, 20_000);

it("shows the line, each file and all in one, and that nobody has tried it", () => {
  known.data = routing({});
  drawn(<RoutingTab fabric="x" />);
  expect(screen.getByText("opensm -R updn")).toBeTruthy();
  const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
  expect(links).toEqual([
    ["All files (ZIP)", "/files/x/all"],
    ["root-guids", "/files/x/root-guids"],
    ["opensm.conf", "/files/x/opensm.conf"],
  ]);
  expect(screen.getByText("Nobody has tried this line on the fabric.")).toBeTruthy();
  expect(screen.getByText("17 % to 23 %, median 20 %")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Try it" }));
  expect(known.mutate).toHaveBeenCalledOnce();
});

it("shows what came out, and viewers no button", () => {
  known.may = false;
  known.data = routing({ trial: TRIAL as unknown as FabricRouting["trial"], untried: null });
  drawn(<RoutingTab fabric="x" />);
  expect(screen.getByText(/came up with engine updn/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Try/ })).toBeNull();
});
