// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The list of nightly checks. */

import "@/pages/checks/checks.css";
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useChecks } from "@/api/queries/checks";
import { useMay } from "@/api/queries/session";
import type { Check } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";
import { nightText } from "@/format/night";
import { baselineText } from "@/pages/checks/baseline_text";
import { NoCheck } from "@/pages/checks/no_check";
import { RunButton } from "@/pages/checks/run_button";
import { RunProgress } from "@/pages/checks/run_progress";
import { VerdictTag } from "@/pages/checks/verdict_tag";

const COLUMNS: Column<Check>[] = [
  {
    key: "name",
    title: "Name",
    head: true,
    value: (row) => row.name,
    show: (row) => (
      <div className="check-name">
        <Link to={`/checks/${encodeURIComponent(row.name)}`}>{row.name}</Link>
      </div>
    ),
  },
  {
    key: "verdict",
    title: "Last night",
    value: (row) => row.last?.verdict,
    show: (row) => (
      <div className="stack tight">
        <span className="row">
          {row.last ? (
            <>
              <VerdictTag night={row.last} />
              <span className="small soft">{nightText(row.last.date)}</span>
            </>
          ) : (
            <span className="soft">none yet</span>
          )}
        </span>
        <RunProgress check={row} />
        {row.last?.headline && <div className="sentence small">{row.last.headline}</div>}
      </div>
    ),
  },
  { key: "fabric", title: "Fabric", value: (row) => row.fabric, show: (row) => <div className="check-fabric">{row.fabric}</div> },
  {
    key: "next_run",
    title: "Next run",
    value: (row) => row.next_run,
    show: (row) => (row.next_run ? <Ago at={row.next_run} /> : <span className="soft">not scheduled</span>),
  },
  {
    key: "baseline",
    title: "Baseline",
    value: (row) => row.baseline?.nights,
    show: (row) => <div className="check-baseline">{baselineText(row)}</div>,
  },
  { key: "run", title: "", value: () => null, show: (row) => <RunButton check={row} small /> },
];

export default function Checks() {
  const checks = useChecks();
  const may = useMay("operator");
  return (
    <div className="stack">
      <PageHead title="Checks">
        {may && (
          <Button component={Link} to="/checks/new">
            New check
          </Button>
        )}
      </PageHead>
      <p className="soft prose">
        A check observes a fabric each night, and reports in the morning whether something has changed, since when, and what to
        do.
      </p>
      <QueryView query={{ ...checks, data: checks.items }} rows={6}>
        {(items) => (
          <>
            <DataTable
              caption="Checks"
              columns={COLUMNS}
              rows={items}
              rowKey={(row) => row.name}
              file="checks"
              empty={<NoCheck may={may} />}
            />
            {checks.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => checks.fetchNextPage()}>
                Load more checks
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}
