// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What has changed since the last good night. */

import { Link } from "react-router";
import { useChanges } from "@/api/queries/checks";
import type { Changes } from "@/api/types";
import { unitText } from "@/charts/trend";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { nightText } from "@/format/night";
import { quantity } from "@/format/quantity";
import { Causes } from "@/pages/checks/causes";

type Changed = Changes["metrics"][number];

const COLUMNS: Column<Changed>[] = [
  { key: "name", title: "Metric", head: true, value: (row) => row.name },
  { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag state={row.state} /> },
  {
    key: "before",
    title: "Before",
    numeric: true,
    value: (row) => row.before,
    show: (row) => quantity(row.before, unitText(row.unit)),
  },
  { key: "now", title: "Now", numeric: true, value: (row) => row.now, show: (row) => quantity(row.now, unitText(row.unit)) },
  {
    key: "since",
    title: "Since",
    value: (row) => row.since,
    show: (row) => <span className="nowrap">{row.since ? nightText(row.since) : "–"}</span>,
  },
  {
    key: "sentence",
    title: "What",
    value: (row) => row.sentence,
    show: (row) => <div className="sentence">{row.sentence}</div>,
  },
];

export function ChangesPanel({ check }: { check: string }) {
  const changes = useChanges(check);
  return <QueryView query={changes}>{(known) => <ChangesView check={check} changes={known} />}</QueryView>;
}

function ChangesView({ check, changes }: { check: string; changes: Changes }) {
  if (changes.night === null) return null;
  const { metrics, new_findings, gone_findings, not_run, causes } = changes;
  const isSame = metrics.length + new_findings.length + gone_findings.length + not_run.length === 0;
  return (
    <>
      {causes.length > 0 && (
        <section className="panel stack" aria-labelledby="causes">
          <h2 id="causes">Likely causes</h2>
          <Causes causes={causes} />
        </section>
      )}
      <section className="panel stack" aria-labelledby="changes">
        <h2 id="changes">Changed since the last good night</h2>
        <p className="soft small">
          {changes.good_night ? (
            <>
              The night of <NightLink check={check} date={changes.night} /> is compared with that of{" "}
              <NightLink check={check} date={changes.good_night} />, the last one before it that passed.
            </>
          ) : (
            <>
              No night before that of <NightLink check={check} date={changes.night} /> has passed, so there is none to compare it
              with.
            </>
          )}
        </p>
        {isSame && changes.good_night !== null && <p>Nothing has changed.</p>}
        {metrics.length > 0 && (
          <DataTable
            caption="Changed metrics"
            columns={COLUMNS}
            rows={metrics}
            rowKey={(row) => `${row.name} ${row.sentence}`}
            file={`${check}-changes`}
          />
        )}
        {new_findings.length > 0 && (
          <>
            <h3>New findings</h3>
            <Brief findings={new_findings} />
          </>
        )}
        {gone_findings.length > 0 && (
          <>
            <h3>Findings that are gone</h3>
            <Brief findings={gone_findings} />
          </>
        )}
        {not_run.length > 0 && (
          <>
            <h3>Could not be run</h3>
            <ul>
              {not_run.map((remark) => (
                <li key={`${remark.subject} ${remark.sentence}`}>
                  <strong>{remark.subject}</strong>: {remark.sentence}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </>
  );
}

/** In a line each: the causes and the page of the night say more. */
function Brief({ findings }: { findings: Changes["new_findings"] }) {
  return (
    <ul className="plain-list">
      {findings.map((finding, i) => (
        <li key={i} className="breaking">
          <Tag state={finding.severity} /> {finding.sentence} <span className="mono soft">{finding.place}</span>
        </li>
      ))}
    </ul>
  );
}

export function NightLink({ check, date }: { check: string; date: string }) {
  return <Link to={`/checks/${encodeURIComponent(check)}/nights/${date}`}>{nightText(date)}</Link>;
}
