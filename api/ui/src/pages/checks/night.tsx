// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One night: its verdict, likely causes, and all that was observed. */

import "@/pages/checks/checks.css";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useDeleteNight, useNight, useNights } from "@/api/queries/checks";
import { useMay } from "@/api/queries/session";
import type { NightDetail } from "@/api/types";
import { unitText } from "@/charts/trend";
import { Confirm } from "@/components/confirm";
import { type Column, DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { JobProgress } from "@/components/job_progress";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { longNightText, nightText } from "@/format/night";
import { titleOf } from "@/format/quantity";
import { Causes, Findings } from "@/pages/checks/causes";
import { valueText } from "@/pages/checks/trend_text";
import { lookOf, noticeKind } from "@/pages/checks/verdict";
import { VerdictTag } from "@/pages/checks/verdict_tag";

export default function NightPage() {
  const { name = "", date = "" } = useParams();
  const night = useNight(name, date);
  const address = `/checks/${encodeURIComponent(name)}`;
  return (
    <div className="stack">
      <PageHead
        title={`Night of ${nightText(date)}`}
        crumbs={[
          { to: "/checks", text: "Checks" },
          { to: address, text: name },
        ]}
        beside={night.data && <VerdictTag night={night.data} />}
      >
        <Neighbors check={name} date={date} />
        {night.data && <DeleteNight check={name} night={night.data} />}
      </PageHead>
      <QueryView query={night} rows={12}>
        {(known) => <Whole night={known} />}
      </QueryView>
    </div>
  );
}

function Neighbors({ check, date }: { check: string; date: string }) {
  const nights = useNights(check).items ?? [];
  const before = nights.find((night) => night.date < date)?.date;
  const after = nights.findLast((night) => night.date > date)?.date;
  const address = `/checks/${encodeURIComponent(check)}/nights`;
  return (
    <>
      {before && (
        <Button component={Link} variant="default" to={`${address}/${before}`}>
          ← {nightText(before)}
        </Button>
      )}
      {after && (
        <Button component={Link} variant="default" to={`${address}/${after}`}>
          {nightText(after)} →
        </Button>
      )}
    </>
  );
}

function DeleteNight({ check, night }: { check: string; night: NightDetail }) {
  const may = useMay("operator");
  const deletion = useDeleteNight(check);
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const isAtWork = night.state === "queued" || night.state === "running";
  if (!may || night.in_baseline || isAtWork) return null;
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        opened={asking}
        title={`Delete the night of ${nightText(night.date)}?`}
        action="Delete"
        danger
        busy={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate(night.date, { onSuccess: () => navigate(`/checks/${encodeURIComponent(check)}`) })}
        onClose={() => setAsking(false)}
      >
        <p>All that it observed is gone, as if it had not been run: as for a night that a wrong clock has dated.</p>
      </Confirm>
    </>
  );
}

function Whole({ night }: { night: NightDetail }) {
  const look = lookOf(night);
  const isAtWork = night.state === "queued" || night.state === "running";
  // Findings, and why an entry could not be run, are shown with the entry.
  const shown = night.entries.flatMap((entry) => [entry.not_run, ...entry.findings.map(({ sentence }) => sentence)]);
  const remarks = night.remarks.filter(({ sentence }) => !shown.includes(sentence));
  return (
    <>
      {isAtWork && night.job && <JobProgress key={night.job} id={night.job} what={`Night of ${nightText(night.date)}`} />}
      <Notice kind={noticeKind(look)}>
        <p className="headline">
          <strong>{night.headline ?? look.word}</strong>
        </p>
      </Notice>
      {night.causes.length > 0 && (
        <section className="panel stack" aria-labelledby="causes">
          <h2 id="causes">Likely causes</h2>
          <Causes causes={night.causes} />
        </section>
      )}
      {remarks.length > 0 && (
        <section className="panel stack" aria-labelledby="remarks">
          <h2 id="remarks">Verdict</h2>
          <ul className="plain-list">
            {remarks.map((remark, i) => (
              <li key={i} className="headline">
                <Tag state={remark.state} />{" "}
                {!remark.sentence.startsWith(remark.subject) && (
                  <>
                    <strong>{remark.subject}</strong>:{" "}
                  </>
                )}
                {remark.sentence}
                {remark.since && !remark.sentence.includes(remark.since) && ` (known since ${nightText(remark.since)})`}
              </li>
            ))}
          </ul>
        </section>
      )}
      {night.entries.map((entry) => (
        <EntryPanel key={entry.name} entry={entry} night={night} />
      ))}
      <section className="panel" aria-label="About the night">
        <Facts facts={about(night)} />
      </section>
    </>
  );
}

function about(night: NightDetail): [string, React.ReactNode][] {
  return [
    ["Night", longNightText(night.date)],
    ...(night.planned_at ? [["Planned", <At key="planned" at={night.planned_at} />] as [string, React.ReactNode]] : []),
    ["Started", <At key="started" at={night.started_at} />],
    ["Ended", <At key="ended" at={night.ended_at} />],
    ["Runs", night.runs > 1 ? `${night.runs}; the last one in which something was observed counts` : String(night.runs)],
    ["Baseline", night.in_baseline ? "part of it" : "no"],
    ...(night.by ? [["By", night.by] as [string, React.ReactNode]] : []),
  ];
}

type Entry = NightDetail["entries"][number];
interface Row {
  metric: string;
  value: number | null;
  unit: string;
  judged: NightDetail["judged"][string] | undefined;
}

const COLUMNS: Column<Row>[] = [
  { key: "metric", title: "Metric", head: true, value: (row) => row.metric, show: (row) => titleOf(row.metric) },
  {
    key: "value",
    title: "Value",
    numeric: true,
    value: (row) => row.value,
    show: (row) => valueText(row.metric, row.value, unitText(row.unit)),
  },
  {
    key: "judged",
    title: "Compared with the baseline",
    value: (row) => judgedText(row),
    show: (row) => <Tag state={judgedText(row)} tone={row.judged ? (row.judged.changed ? "warn" : "good") : "plain"} />,
  },
];

function judgedText({ judged }: Row): string {
  if (!judged) return "not judged";
  return judged.changed ? `changed since ${judged.since ? nightText(judged.since) : "this night"}` : "no change";
}

function EntryPanel({ entry, night }: { entry: Entry; night: NightDetail }) {
  const rows = Object.entries(entry.values).map(([metric, value]) => ({
    metric,
    value,
    unit: entry.units[metric] ?? "1",
    judged: night.judged[`${entry.name}.${metric}`],
  }));
  return (
    <section className="panel stack" aria-label={`Entry ${entry.name}`}>
      <div className="row ends">
        <h2>{entry.name}</h2>
        <span className="row small soft">
          {entry.kind !== entry.name && <span>kind {entry.kind}</span>}
          {entry.not_run !== null && <Tag state="could not be run" />}
        </span>
      </div>
      {entry.not_run !== null && <p className="headline">{entry.not_run}</p>}
      {entry.findings.length > 0 && <Findings findings={entry.findings} count={entry.findings_count} />}
      {rows.length > 0 && (
        <DataTable
          caption={`Metrics of ${entry.name}`}
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.metric}
          file={`${entry.name}-${night.date}`}
        />
      )}
      {entry.facts.length > 0 && (
        <ul className="small soft headline">
          {entry.facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
