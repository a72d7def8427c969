// @vitest-environment jsdom
// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { keptWithin } from "@/api/queries/kept_within";
import { QueryView } from "@/components/query_view";

const sources = import.meta.glob("../../../../api/ui/src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

function Links({ fabric, filter, answers }: { fabric: string; filter: string; answers: Record<string, Promise<string>> }) {
  const links = useQuery({
    ...keptWithin(["fabrics", fabric, "links"], { filter }),
    queryFn: () => answers[`${fabric} ${filter}`] ?? Promise.reject(),
  });
  return (
    <QueryView query={links} rows={0}>
      {(text) => <button type="button">{text}</button>}
    </QueryView>
  );
}

it("keeps an answer within one entity, dimmed and out of use, and never beside another entity", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const late: ((text: string) => void)[] = [];
  const pending = () => new Promise<string>((done) => late.push(done));
  const answers = { "east ": Promise.resolve("all of east"), "east H1": pending(), "west H1": pending() };
  const page = (fabric: string, filter: string) => (
    <QueryClientProvider client={client}>
      <Links fabric={fabric} filter={filter} answers={answers} />
    </QueryClientProvider>
  );
  const { rerender, container } = render(page("east", ""));
  const first = await screen.findByText("all of east");
  expect(first.closest("[inert]")).toBeNull();
  rerender(page("east", "H1"));
  expect(screen.getByText("all of east").closest("[inert]")?.className).toContain("former");
  late[0]?.("H1 of east");
  expect((await screen.findByText("H1 of east")).closest("[inert]")).toBeNull();
  rerender(page("west", "H1"));
  expect(container.textContent).toBe("Loading");
  late[1]?.("H1 of west");
  await screen.findByText("H1 of west");
});

it("is the only code that keeps former answers", () => {
  const keeping = Object.keys(sources).filter((file) => /placeholderData|keepPreviousData/.test(String(sources[file])));
  expect(Object.keys(sources).length).toBeGreaterThan(100);
  expect(keeping.map((file) => file.split("/src/")[1])).toEqual(["api/queries/kept_within.ts"]);
});
