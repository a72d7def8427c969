// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Diagnosis, FabricDiagnosis } from "@/api/types";
import { DiagnosisTab } from "@/pages/fabric/diagnosis_tab";

const known = vi.hoisted(() => ({ may: true, mutate: vi.fn(), data: null as unknown }));
vi.mock("@/api/queries/session", () => ({ useMay: () => known.may }));
vi.mock("@/api/queries/workloads", () => ({
  useWorkloads: () => ({
    items: [
      { name: "pairs", belongs_to: null },
      { name: "others", belongs_to: "y" },
    ],
  }),
}));
vi.mock("@/api/queries/diagnosis", () => ({
  useFabricDiagnosis: () => ({ data: known.data, error: null, isPending: false }),
  useDiagnose: () => ({ mutate: known.mutate, isPending: false, error: null }),
  useDiagnosisEnded: () => () => undefined,
}));

beforeAll(() => {
  window.HTMLElement.prototype.scrollIntoView = () => undefined;
});

afterEach(() => {
  cleanup();
  known.may = true;
  known.mutate.mockReset();
});

const SLOW: Diagnosis = {
  verdict: "slow-receiver",
  sentence: "Host H5 is slow to receive, and withholds credits.",
  faults: [
    {
      kind: "slow-receiver",
      place: "H5",
      sentence: "host H5 is slow to receive, and withholds credits",
      evidence: ["L2/1 waits 80.0% of the time to send to it"],
      next_step: "call the owner of the load on this host",
      cause: "slow-receiver",
    },
  ],
  faults_count: 3,
  slow_flows: [],
  slow_flows_count: 0,
  missing: ["PortXmitWait of L1/1"],
  missing_count: 7,
};

function diagnosed(more: Partial<FabricDiagnosis>): FabricDiagnosis {
  return { can_watch: false, can_run: true, last: null, nights: [], problem: null, job: null, ...more };
}

const drawn = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <MemoryRouter>
          <DiagnosisTab fabric="x" />
        </MemoryRouter>
      </MantineProvider>
    </QueryClientProvider>,
  );

it("has a workload chosen on a fabric that has no ports to watch", () => {
  known.data = diagnosed({});
  drawn();
  expect(screen.getByText("Nobody has diagnosed this fabric yet.")).toBeTruthy();
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Diagnose" });
  expect(button.disabled).toBe(true);
  fireEvent.click(screen.getByRole("combobox", { name: "Workload to run" }));
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["pairs"]);
  fireEvent.click(screen.getByRole("option", { name: "pairs" }));
  fireEvent.click(button);
  expect(known.mutate).toHaveBeenCalledExactlyOnceWith({ workload: "pairs", time_scale: 0.1 });
}, 20_000);

it("watches the ports of one that runs, unless a workload is chosen", () => {
  known.data = diagnosed({ can_watch: true, can_run: false });
  drawn();
  fireEvent.click(screen.getByRole("button", { name: "Diagnose" }));
  expect(known.mutate).toHaveBeenCalledExactlyOnceWith({ workload: null, time_scale: 0.1 });
});

it("shows viewers the sentence, its evidence and the next step, and no button", () => {
  known.may = false;
  const last = { source: "live" as const, workload: null, version: 1, outdated: true, at: "2026-01-31T02:17:00Z", by: "anna" };
  const nights = [{ check: "site", date: "2026-01-31", diagnosis: { ...SLOW, verdict: "none" as const, faults: [] } }];
  known.data = diagnosed({ last: { ...last, diagnosis: SLOW }, nights, problem: "there is no plugin" });
  drawn();
  expect(screen.getAllByText(SLOW.sentence)).toHaveLength(2);
  expect(screen.getByText("L2/1 waits 80.0% of the time to send to it")).toBeTruthy();
  expect(screen.getByText("Next step: call the owner of the load on this host.")).toBeTruthy();
  expect(screen.getByText("And 2 more faults.")).toBeTruthy();
  expect(screen.getAllByText("Not read: 7")).toHaveLength(2);
  expect(screen.getByText(/of an older version of the wiring/)).toBeTruthy();
  expect(screen.getByText("there is no plugin")).toBeTruthy();
  expect(screen.getByRole("link", { name: "site, 2026-01-31" }).getAttribute("href")).toBe("/checks/site/nights/2026-01-31");
  expect(screen.queryByRole("button", { name: /^Diagnose/ })).toBeNull();
});
