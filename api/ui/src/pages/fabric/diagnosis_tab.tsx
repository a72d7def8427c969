// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What makes flows slow, a host or the fabric: the last diagnosis, the button for another one, and what the last nights found. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useDiagnose, useDiagnosisEnded, useFabricDiagnosis } from "@/api/queries/diagnosis";
import { useMay } from "@/api/queries/session";
import { useWorkloads } from "@/api/queries/workloads";
import type { Diagnosis, FabricDiagnosis, LastDiagnosis, NightDiagnosis } from "@/api/types";
import { Command } from "@/components/command";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";
import { number } from "@/format/quantity";

export function DiagnosisTab({ fabric }: { fabric: string }) {
  const found = useFabricDiagnosis(fabric);
  return (
    <QueryView query={found} rows={6}>
      {(known) => (
        <div className="stack">
          <section className="panel stack" aria-labelledby="host-or-fabric">
            <h2 id="host-or-fabric">Host or fabric?</h2>
            <p className="soft">
              A host that is slow inside looks like a congested fabric. The counters of the switches’ ports tell them apart: which
              host, link, table or hotspot makes flows slow, and what to do.
            </p>
            <Ask fabric={fabric} known={known} />
            {known.problem && (
              <Notice kind="bad" title="The last one could not be made">
                {known.problem}
              </Notice>
            )}
            {known.last ? <Last last={known.last} /> : <p>Nobody has diagnosed this fabric yet.</p>}
          </section>
          {known.nights.length > 0 && (
            <section className="panel stack" aria-labelledby="by-nights">
              <h2 id="by-nights">By the last nights of its checks</h2>
              {known.nights.map((night) => (
                <Night key={night.check} night={night} />
              ))}
            </section>
          )}
        </div>
      )}
    </QueryView>
  );
}

/** No workload has such a name. */
const WATCH = "(watch)";
const SCALES = [
  { value: "1", label: "the whole of it" },
  { value: "0.1", label: "a tenth of its time" },
  { value: "0.02", label: "a fiftieth of its time" },
];

function Ask({ fabric, known }: { fabric: string; known: FabricDiagnosis }) {
  const may = useMay("operator");
  const workloads = useWorkloads();
  const diagnose = useDiagnose(fabric);
  const ended = useDiagnosisEnded(fabric);
  const [chosen, setChosen] = useState<string | null>(known.can_watch ? WATCH : null);
  const [scale, setScale] = useState("0.1");
  const running = known.job && <JobProgress key={known.job} id={known.job} what={`Diagnosis: ${fabric}`} onEnd={ended} />;
  if (!may) return running;
  const usable = (workloads.items ?? []).filter(({ belongs_to }) => belongs_to === null || belongs_to === fabric);
  const data = [
    ...(known.can_watch ? [{ value: WATCH, label: "none: watch the ports to hosts for 5 s" }] : []),
    ...(known.can_run ? usable.map(({ name }) => ({ value: name, label: name })) : []),
  ];
  return (
    <>
      <div className="row bottom">
        <Select label="Workload to run" data={data} value={chosen} searchable onChange={setChosen} placeholder="Choose one" />
        {chosen !== null && chosen !== WATCH && (
          <Select label="Run" data={SCALES} value={scale} allowDeselect={false} onChange={(value) => value && setScale(value)} />
        )}
        <Button
          variant="default"
          loading={diagnose.isPending}
          disabled={known.job !== null || chosen === null}
          onClick={() => diagnose.mutate({ workload: chosen === WATCH ? null : chosen, time_scale: Number(scale) })}
        >
          {known.last ? "Diagnose again" : "Diagnose"}
        </Button>
      </div>
      <p className="small soft">Devices keep the profile that is in force.</p>
      <ErrorNotice error={diagnose.error} />
      {running}
    </>
  );
}

function Last({ last }: { last: LastDiagnosis }) {
  const { source, workload, outdated, at, by, diagnosis } = last;
  const of = workload === null ? "The ports to hosts were watched" : `Workload ${workload}, on the ${source} fabric`;
  return (
    <>
      <Verdict diagnosis={diagnosis} />
      <p className="small soft">
        {of}, by {by} <Ago at={at} />
        {outdated && ", of an older version of the wiring"}.
      </p>
    </>
  );
}

function Night({ night }: { night: NightDiagnosis }) {
  const { check, date, diagnosis } = night;
  return (
    <div className="stack tight">
      <p>
        <Link to={`/checks/${encodeURIComponent(check)}/nights/${date}`}>
          {check}, {date}
        </Link>
      </p>
      <Verdict diagnosis={diagnosis} />
    </div>
  );
}

const COMMAND = /^ib\w+ [^,;]*$/;
const KINDS = { none: "good", "cannot-tell": "warn" } as const;

function Verdict({ diagnosis }: { diagnosis: Diagnosis }) {
  const { verdict, sentence, faults, faults_count, missing, missing_count } = diagnosis;
  const kind = verdict in KINDS ? KINDS[verdict as keyof typeof KINDS] : "bad";
  return (
    <div className="stack tight">
      <Notice kind={kind}>
        <p className="cut-anywhere">
          <strong>{sentence}</strong>
        </p>
      </Notice>
      {faults.map(({ kind, place, evidence, next_step }) => (
        <div key={`${kind} ${place}`} className="stack tight">
          <p className="small soft">
            <span className="mono">{kind}</span> at <span className="mono cut-anywhere">{place}</span>
          </p>
          <ul className="small">
            {evidence.map((seen) => (
              <li key={seen} className="cut-anywhere">
                {seen}
              </li>
            ))}
          </ul>
          {COMMAND.test(next_step) ? <Command text={next_step} /> : <p>Next step: {next_step}.</p>}
        </div>
      ))}
      {faults_count > faults.length && <p className="small soft">And {number(faults_count - faults.length)} more faults.</p>}
      {missing.length > 0 && (
        <details>
          <summary>Not read: {number(missing_count)}</summary>
          <ul className="small">
            {missing.map((what) => (
              <li key={what} className="cut-anywhere">
                {what}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
