// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Campaign } from "@/api/types";
import { DeviceProfiles } from "@/pages/campaigns/device_profiles";

vi.mock("@/api/queries/session", () => ({ useMay: () => true }));
vi.mock("@/api/queries/profiles", () => ({ useCreateProfile: () => ({ isPending: false }) }));

afterEach(cleanup);

const drawn = (best: Record<string, unknown> | null) =>
  render(
    <MantineProvider>
      <MemoryRouter>
        <DeviceProfiles campaign={{ id: "c1", name: "demo", best } as Campaign} />
      </MemoryRouter>
    </MantineProvider>,
  );

const ACKS = { file: "profile-acks.yaml", variant: "acks", settings: { "model.ca.becn_carrier": "ack" } };

it("offers the best profile for each model of the devices", () => {
  drawn({
    profiles: [
      {
        file: "profile-own-devices.yaml",
        variant: null,
        settings: {},
        devices: "adapters that send CNPs",
        origin: "trial 46",
        trial: 46,
        gain: "trial 46 has a twelfth of gran-2010's treatment variation (0.02 against 0.24 Gb²/s²)",
      },
      { ...ACKS, origin: "suggestion", trial: null },
    ],
  });
  expect(screen.getByText(/If you know your devices/)).toBeTruthy();
  const [, own, acks] = screen.getAllByRole("row");
  expect(own?.textContent).toMatch(/adapters that send CNPs.*trial 46.*Trial 46 has a twelfth of gran-2010's.*Save and compare/);
  expect(screen.getByRole("link", { name: "trial 46" }).getAttribute("href")).toBe("/campaigns/c1/trials/46");
  // A campaign of an earlier release.
  expect(acks?.textContent).toMatch(/model.ca.becn_carrier=ack.*suggestion/);
});

it("is silent about a campaign without variants, or of an earlier release", () => {
  for (const best of [{ profiles: [] }, {}, null]) {
    const { container } = drawn(best);
    expect(container.querySelector("p, table")).toBeNull();
    cleanup();
  }
});
