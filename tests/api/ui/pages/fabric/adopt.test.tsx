// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { Adopt } from "@/pages/fabric/adopt";

const known = vi.hoisted(() => ({ may: true, mutate: vi.fn(), found: null as unknown, made: undefined as unknown }));
vi.mock("@/api/queries/session", () => ({ useMay: () => known.may }));
vi.mock("@/api/queries/fabrics", () => ({
  useFabricState: () => ({ data: { as_found: known.found } }),
  useAdopt: () => ({ mutate: known.mutate, isPending: false, error: null, data: known.made }),
}));

afterEach(() => {
  cleanup();
  Object.assign(known, { may: true, found: null, made: undefined });
});

const drawn = () =>
  render(
    <MantineProvider>
      <MemoryRouter>
        <Adopt fabric="lab" />
      </MemoryRouter>
    </MantineProvider>,
  );

it("counts what was read and what was not, and has an administrator adopt it under a name", async () => {
  known.found = { devices: 9, unread: 1, since: null, in_force: true };
  drawn();
  expect(
    screen.getByText(
      "9 devices were read before ibcc set anything on them, and what they held is in force (revision 0); 1 device was not read yet.",
    ),
  ).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Adopt as a profile" }));
  const name = await screen.findByLabelText("Name of the new profile");
  fireEvent.change(name, { target: { value: " before " } });
  fireEvent.click(screen.getByRole("button", { name: "Adopt" }));
  expect(known.mutate.mock.calls[0]?.[0]).toBe("before");
});

it("shows others what was read, without the button, and nothing where nothing was read", () => {
  known.may = false;
  known.found = { devices: 1, unread: 0, since: null, in_force: false };
  drawn();
  expect(screen.getByText("1 device was read before ibcc set anything on them.")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
  cleanup();
  known.found = { devices: 0, unread: 9, since: null, in_force: true };
  drawn();
  expect(screen.queryByText(/before ibcc/)).toBeNull();
});

it("says which devices hold what the profile cannot say, and how many more", () => {
  known.found = { devices: 9, unread: 0, since: null, in_force: true };
  known.made = { profile: { name: "lab-as-found", version: 1 }, not_said: ["device 'H3' holds a key"], devices_not_said: 3 };
  drawn();
  expect(screen.getByRole("link", { name: "Show it" }).getAttribute("href")).toBe("/profiles/lab-as-found");
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "device 'H3' holds a key",
    "And 2 devices more.",
  ]);
});
