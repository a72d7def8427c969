// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Campaign } from "@/api/types";
import { CampaignNotice } from "@/pages/campaigns/campaign_notice";

afterEach(cleanup);

const drawn = (state: Campaign["state"], problem: string | null, resumes_at: string | null = null) =>
  render(<CampaignNotice campaign={{ state, problem, resumes_at } as Campaign} />, { wrapper: MantineProvider });

it("says when one that waits continues automatically, as no failure", () => {
  const at = new Date(Date.now() + 7_800_000).toISOString();
  drawn("waiting", "the maintenance window ends at 06:00 UTC", at);
  expect(screen.getByRole("status").textContent).toMatch(
    /This campaign is waiting.*ends at 06:00 UTC.*continues automatically in 2 h: .*20\d\d/,
  );
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says what is missing once its time has come", () => {
  drawn("waiting", "the maintenance window ends", new Date(Date.now() - 60_000).toISOString());
  expect(screen.getByRole("status").textContent).toMatch(/as soon as a worker is free/);
});

it("tells a failure from what a person has done", () => {
  drawn("failed", "nobody answers");
  expect(screen.getByRole("alert").textContent).toBe("This campaign has failednobody answers");
  cleanup();
  drawn("paused", "anna has restored the base");
  expect(screen.getByRole("status").textContent).toBe("This campaign is pausedanna has restored the base");
});

it("says what a queued one waits for", () => {
  drawn("queued", "Campaign 'first' of anna measures on fabric 'lab'");
  expect(screen.getByRole("status").textContent).toBe("This campaign is queuedCampaign 'first' of anna measures on fabric 'lab'");
});

it("is silent where there is nothing to tell, and where the outcome tells it", () => {
  for (const [state, problem] of [
    ["running", null],
    ["finished", "none is recommended"],
  ] as const) {
    drawn(state, problem);
    expect(screen.queryByRole("status")).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
    cleanup();
  }
});
