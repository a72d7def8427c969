// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The twin of an import or a fabric: its findings, its report, and the button that makes it. */

import { Button } from "@mantine/core";
import { useMay } from "@/api/queries/session";
import { type TwinOf, twinPath, useMakeTwin, useTwin, useTwinEnded } from "@/api/queries/twins";
import { address } from "@/api/request";
import type { Twin } from "@/api/types";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";
import "@/pages/fabric/twin_panel.css";

export function TwinPanel({ of }: { of: TwinOf }) {
  const found = useTwin(of);
  const make = useMakeTwin(of);
  const ended = useTwinEnded(of);
  const may = useMay("operator");
  const running = found.data?.state === "running";
  return (
    <section className="stack tight" aria-label="Twin">
      <div className="row ends">
        <h2>Twin</h2>
        {may && !running && (
          <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
            {found.data?.made_at ? "Make it again" : "Make the twin"}
          </Button>
        )}
      </div>
      <p className="soft">
        A real OpenSM tries the advised routing on the emulated fabric; hotspots with victims are simulated without congestion
        control and with a suggested profile. Nothing is sent to devices.
      </p>
      <ErrorNotice error={make.error} />
      {running && found.data?.job && <JobProgress key={found.data.job} id={found.data.job} what="Twin" onEnd={ended} />}
      <QueryView query={found} rows={2}>
        {(twin) => (twin ? <Made twin={twin} report={address(`${twinPath(of)}/report`)} /> : <p>No twin was made yet.</p>)}
      </QueryView>
    </section>
  );
}

function Made({ twin, report }: { twin: Twin; report: string }) {
  return (
    <>
      {twin.state === "failed" && <Notice kind="bad">{twin.problem}</Notice>}
      {twin.state === "cancelled" && <Notice kind="warn">It was cancelled.</Notice>}
      {twin.made_at && (
        <>
          <ul className="twin-verdicts">
            {twin.verdicts.map(({ good, text }) => (
              <li key={text} className={good === null ? "open" : good ? "good" : "bad"}>
                <strong>{good === null ? "Note" : good ? "✓ Good" : "✗ Not good"}</strong> {text}
              </li>
            ))}
          </ul>
          <p className="small soft">
            Made <Ago at={twin.made_at} />
            {twin.outdated && ", of an older version of the wiring"}.{" "}
            <a href={report} target="_blank" rel="noreferrer">
              Open the report
            </a>
          </p>
        </>
      )}
    </>
  );
}
