// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { DialectCounts, FabricState } from "@/api/types";
import { DialectPanel } from "@/pages/fabric/dialect_panel";

const may = vi.hoisted(() => ({ act: true, mutate: vi.fn(), clear: vi.fn() }));
vi.mock("@/api/queries/session", () => ({ useMay: () => may.act }));
vi.mock("@/api/queries/fabrics", () => ({
  useFabricAction: () => ({ mutate: may.mutate, isPending: false, error: null }),
  useClearForeign: () => ({ mutate: may.clear, isPending: false, error: null }),
}));

afterEach(() => {
  cleanup();
  may.act = true;
});

const MIXED: DialectCounts = { a10: 1, nvidia: 5, both: 2, none: 1, unknown: 0 };
const UNASKED: DialectCounts = { a10: 0, nvidia: 0, both: 0, none: 0, unknown: 9 };

const drawn = (kind: string, dialects: FabricState["dialects"], reachable = true, foreign = 0) =>
  render(
    <MantineProvider>
      <MemoryRouter>
        <DialectPanel state={{ fabric: "lab", kind, dialects, reachable, devices: { foreign } } as FabricState} />
      </MemoryRouter>
    </MantineProvider>,
  );

/** Links to lists of devices. */
const lists = () => screen.getAllByRole("link").filter((link) => link.getAttribute("href")?.includes("tab=devices"));

it("counts the devices of a real fabric by what they have answered, each with a link to them", () => {
  drawn("plugin", { documented: null, reported: { ...MIXED, unknown: 3 } });
  const links = lists().map((link) => [link.textContent, link.getAttribute("href")]);
  expect(links).toEqual([
    ["1 device", "/fabrics/lab?tab=devices&dialect=a10"],
    ["5 devices", "/fabrics/lab?tab=devices&dialect=nvidia"],
    ["2 devices", "/fabrics/lab?tab=devices&dialect=both"],
    ["1 device", "/fabrics/lab?tab=devices&dialect=none"],
    ["3 devices", "/fabrics/lab?tab=devices&dialect=unknown"],
  ]);
  expect(screen.getByText(/not asked for both kinds, or no answer yet/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Ask devices" }));
  expect(may.mutate.mock.calls[0]?.[0]).toBe("ask-devices");
});

it("keeps what an emulated fabric's document says apart from what its devices have answered", () => {
  drawn("emulated", { documented: MIXED, reported: UNASKED });
  expect(screen.getByText("By the fabric's document")).toBeTruthy();
  expect(screen.getByText("As devices have answered")).toBeTruthy();
  expect(lists().map((link) => link.textContent)).toEqual(["9 devices"]);
});

it("asks no simulated devices, whose document says all", () => {
  drawn("simulated", { documented: MIXED, reported: null });
  expect(screen.queryByRole("button")).toBeNull();
  expect(lists()).toHaveLength(4);
  const form = screen.getByRole("link", { name: "New profile for these devices" });
  expect(form.getAttribute("href")).toBe("/profiles/new?fabric=lab");
});

it("offers viewers no button, and no form", () => {
  may.act = false;
  drawn("plugin", { documented: null, reported: UNASKED });
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.getAllByRole("link")).toEqual(lists());
});

it.each([
  [true, /this release of the plugin does not ask/],
  [false, /the fabric is unreachable/],
])("says why nothing is known (reachable: %s)", (reachable, sentence) => {
  drawn("plugin", { documented: null, reported: null }, reachable);
  expect(screen.getByText(sentence)).toBeTruthy();
});

it("names devices that somebody else has switched on, and has an administrator clear them who is asked before", async () => {
  drawn("plugin", { documented: null, reported: UNASKED }, true, 2);
  expect(screen.getByRole("link", { name: "2 devices" }).getAttribute("href")).toBe("/fabrics/lab?tab=devices&state=foreign");
  fireEvent.click(screen.getByRole("button", { name: "Clear foreign devices" }));
  expect(may.clear).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByRole("button", { name: "Clear" }));
  const [, { onSuccess }] = may.clear.mock.calls[0] as [undefined, { onSuccess: (asked: object) => void }];
  act(() => onSuccess({ job: null, needs: "the same request of another admin" }));
  expect(screen.getByText("Nothing is cleared yet: the same request of another admin is missing.")).toBeTruthy();
});

it("shows foreign devices to others without the button", () => {
  may.act = false;
  drawn("plugin", { documented: null, reported: MIXED }, true, 1);
  expect(screen.getByText(/obeys NVIDIA's attributes that somebody else has switched on/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});
