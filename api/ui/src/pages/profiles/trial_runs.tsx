// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Trial runs of a profile: what was measured before and during each, beside what a campaign promised. */

import { Link } from "react-router";
import { useTrialRuns } from "@/api/queries/profiles";
import type { TrialRunOutcome } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { number, titleOf } from "@/format/quantity";

export function TrialRuns({ profile }: { profile: string }) {
  const runs = useTrialRuns(profile);
  return (
    <QueryView query={{ ...runs, data: runs.items }}>
      {(items) =>
        items.length === 0 ? (
          <div className="empty">
            No trial run of this profile yet. A check that measures under the profile in force fills them in.
          </div>
        ) : (
          <div className="stack">
            {items.map((run) => (
              <TrialRun key={run.job} run={run} />
            ))}
          </div>
        )
      }
    </QueryView>
  );
}

function TrialRun({ run }: { run: TrialRunOutcome }) {
  const { fabric, version, by, began_at, ended_at, is_over, promised, compared, sentence, job } = run;
  return (
    <section className="panel stack tight" aria-labelledby={`run-${job}`}>
      <h3 id={`run-${job}`}>
        Version {version} on <Link to={`/fabrics/${encodeURIComponent(fabric)}`}>{fabric}</Link>
      </h3>
      <p className="small">
        <At at={began_at} /> to {is_over ? <At at={ended_at} /> : "now"}, by {by}
        {promised && (
          <>
            ; promised by <Link to={`/campaigns/${encodeURIComponent(promised.campaign)}`}>{promised.name}</Link>
          </>
        )}
      </p>
      <p>{sentence}</p>
      {compared.length > 0 && <Compared compared={compared} />}
    </section>
  );
}

function Compared({ compared }: { compared: TrialRunOutcome["compared"] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <section className="table-box" tabIndex={0} aria-label="Before, during and promised">
      <table className="data">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col" className="n">
              Before
            </th>
            <th scope="col" className="n">
              During
            </th>
            <th scope="col" className="n">
              Promised
            </th>
            <th scope="col">Check</th>
          </tr>
        </thead>
        <tbody>
          {compared.map(({ check, entry, metric, unit, before, during, promised }) => (
            <tr key={`${check} ${entry} ${metric}`}>
              <td>
                {titleOf(metric)}
                {unit !== "1" && `, ${unit}`}
              </td>
              <td className="n">{before === null ? "–" : number(before)}</td>
              <td className="n">{during === null ? "–" : number(during)}</td>
              <td className="n">{promised === null ? "–" : number(promised.value)}</td>
              <td>
                {check}, {entry}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
