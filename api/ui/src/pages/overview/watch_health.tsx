// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the service's watcher knows of a fabric: what is not as it should be, as of when, when it was last audited, and an audit
 * now. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useFabricAction } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import type { Job, Watch } from "@/api/types";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice } from "@/components/notice";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { number } from "@/format/quantity";
import { SeverityTag } from "@/pages/events/severity_tag";

type Counts = NonNullable<Watch["counts"]>;

/** Words by count, with the mark that the device list filters by. */
const PARTS: [count: keyof Counts, words: string, mark: string | null][] = [
  ["missing", "missing", "missing"],
  ["timing_out", "not responding", "timing-out"],
  ["drifted", "drifted", "drifted"],
  ["not_ready", "not ready", "not-ready"],
  ["flapping", "flapping", null],
  ["not_cabled_as_imported", "not cabled as imported", "not-cabled-as-imported"],
  ["links_down", "links down", null],
  ["new", "new", "new"],
];

/** "2 missing", "1 links down": what is not as it should be. */
export function wrong(counts: Counts): { text: string; mark: string | null }[] {
  return PARTS.filter(([count]) => counts[count] > 0).map(([count, words, mark]) => ({
    text: `${number(counts[count])} ${counts[count] === 1 ? words.replace("links", "link") : words}`,
    mark,
  }));
}

export function Watched({ watch, fabric }: { watch: Watch; fabric: string }) {
  if (!watch.counts) return <span className="soft">{watch.reach === "starting" ? "is starting" : "not seen yet"}</span>;
  const found = wrong(watch.counts);
  const devices = `/fabrics/${encodeURIComponent(fabric)}?tab=devices`;
  return (
    <span className="row">
      {!watch.current && <Tag state="unknown" tone="unknown" text="unknown now" />}
      {watch.current && !watch.severity && <Tag state="ok" text="as it should be" />}
      {watch.severity && <SeverityTag severity={watch.severity} />}
      {found.map(({ text, mark }) =>
        mark ? (
          <Link key={text} to={`${devices}&mark=${mark}`}>
            {text}
          </Link>
        ) : (
          <span key={text}>{text}</span>
        ),
      )}
      {!watch.current && (
        <span className="soft">
          as of <Ago at={watch.as_of} />
        </span>
      )}
    </span>
  );
}

export function LastAudit({ watch, fabric }: { watch: Watch; fabric: string }) {
  const may = useMay("operator");
  const action = useFabricAction(fabric);
  const [running, setRunning] = useState<Job | null>(null);
  return (
    <span className="stack tight">
      <span className="row">
        {watch.audited_at ? <Ago at={watch.audited_at} /> : "not yet"}
        {may && watch.reach === "reachable" && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Audit now: ${fabric}`}
            loading={action.isPending}
            onClick={() => action.mutate("verify", { onSuccess: setRunning })}
          >
            Audit now
          </Button>
        )}
      </span>
      <ErrorNotice error={action.error} />
      {running && <JobProgress id={running.id} what={`Audit: ${fabric}`} />}
    </span>
  );
}

/** A device that was reset and repaired is as it should be: this is its trace. */
export function LastChange({ last }: { last: NonNullable<Watch["last"]> }) {
  return (
    <span className="breaking">
      {last.headline}, <Ago at={last.at} />
    </span>
  );
}
