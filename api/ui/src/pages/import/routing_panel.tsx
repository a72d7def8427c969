// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The fabric's shape, the routing that suits it, and what each routing gives under uniform traffic. Another one can be chosen. */

import { Button } from "@mantine/core";
import { useReread } from "@/api/queries/imports";
import type { FabricImport, RoutingAdvice } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { ErrorNotice } from "@/components/notice";
import { Tag } from "@/components/tag";
import { number, percent } from "@/format/quantity";

type Engine = RoutingAdvice["engines"][number];

export function RoutingPanel({ draft, advice, present }: { draft: FabricImport; advice: RoutingAdvice; present: string }) {
  const reread = useReread(draft.id);
  const isPresent = (row: Engine) => row.routing === present && row.as_it_is === (present === "tables");
  return (
    <section className="stack tight" aria-labelledby="routing">
      <h2 id="routing">Routing</h2>
      <p className="breaking">
        {advice.shape}. Such clusters run OpenSM with <code>-R {advice.opensm.join(",")}</code>: {advice.opensm_reason}.
      </p>
      {advice.missing.length > 0 && (
        <details>
          <summary>Missing or odd: {number(advice.missing.length)}</summary>
          <ul className="import-lists">
            {advice.missing.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
      <p className="breaking small soft">
        {advice.chosen} suits it: {advice.reason}.
      </p>
      <ErrorNotice error={reread.error} />
      <DataTable
        caption="Routings under uniform traffic"
        columns={[
          {
            key: "routing",
            title: "Routing",
            head: true,
            value: (row) => row.routing,
            show: (row) => (
              <span className="row">
                {row.as_it_is ? "as it was read" : row.routing}
                {isPresent(row) && <Tag state="chosen" tone="good" />}
              </span>
            ),
          },
          {
            key: "opensm",
            title: "OpenSM's",
            value: (row) => row.opensm.join(", "),
            show: (row) => row.opensm.join(", ") || "–",
          },
          {
            key: "uniform_share",
            title: "Of the hosts' links",
            numeric: true,
            value: (row) => row.uniform_share,
            show: (row) => (row.refused ? "cannot route it" : percent(row.uniform_share)),
          },
          {
            key: "used",
            title: "Links used",
            numeric: true,
            value: (row) => row.used,
            show: (row) => (row.used === null ? "–" : `${number(row.used)} of ${number(row.directions)}`),
          },
          {
            key: "credit_loop",
            title: "Can deadlock",
            value: (row) => (row.credit_loop ? "yes" : "no"),
            show: (row) => (row.refused ? "–" : row.credit_loop ? <Tag state="yes" tone="bad" /> : "no"),
          },
          { key: "vls", title: "VLs", numeric: true, value: (row) => row.vls },
          {
            key: "actions",
            title: "",
            value: () => null,
            show: (row) =>
              !row.refused && !row.as_it_is && !isPresent(row) && draft.actions.includes("reread") ? (
                <Button
                  size="compact-xs"
                  variant="light"
                  disabled={reread.isPending}
                  onClick={() => reread.mutate({ routing: row.routing })}
                >
                  Take this<span className="hidden-text">: {row.routing}</span>
                </Button>
              ) : null,
          },
        ]}
        rows={advice.engines}
        rowKey={(row) => `${row.routing} ${row.as_it_is}`}
      />
    </section>
  );
}
