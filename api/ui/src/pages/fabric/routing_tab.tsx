// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The routing of a fabric: what it carries, the advised line of OpenSM with its files, what came out when it was tried. */

import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { routingFile, useFabricRouting, useTryRouting } from "@/api/queries/routing";
import { useMay } from "@/api/queries/session";
import type { Capacity, FabricRouting } from "@/api/types";
import { Facts } from "@/components/facts";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";
import { Words } from "@/components/words";
import { percent } from "@/format/quantity";
import { LowCapacity } from "@/pages/fabric/low_capacity";
import { Routing } from "@/pages/import/routing_advice";

export function RoutingTab({ fabric }: { fabric: string }) {
  const routing = useFabricRouting(fabric);
  return (
    <QueryView query={routing} rows={8}>
      {(known) => (
        <div className="stack">
          <LowCapacity capacity={known.advice.capacity} />
          <div className="halves">
            <section className="panel stack" aria-labelledby="carries">
              <h2 id="carries">What the routing carries</h2>
              {known.advice.capacity ? (
                <Facts facts={facts(known.advice.capacity)} />
              ) : (
                <p className="small soft">Not known: not all hosts reach each other.</p>
              )}
            </section>
            <Line fabric={fabric} known={known} />
          </div>
          <Routing advice={known.advice} />
        </div>
      )}
    </QueryView>
  );
}

function facts({ routing, share, best, limit, of_best, orders }: Capacity): [string, string][] {
  const inOrders: [string, string][] = orders
    ? [["In nine random orders", `${percent(orders.low)} to ${percent(orders.high)}, median ${percent(orders.median)}`]]
    : [];
  return [
    ["Routing", routing],
    ["Throughput of all to all", `${percent(share)} of what links of hosts allow`],
    ...inOrders,
    ["No routing exceeds", `${percent(best)}: ${limit}`],
    ["Of that", percent(of_best)],
  ];
}

function Line({ fabric, known }: { fabric: string; known: FabricRouting }) {
  const { line, trial, untried, tried_at } = known;
  return (
    <section className="panel stack" aria-labelledby="line">
      <h2 id="line">Line for OpenSM</h2>
      <p>
        <code className="cut-anywhere">{line.text}</code>
      </p>
      <p className="row">
        <a href={routingFile(fabric)} download>
          All files (ZIP)
        </a>
        {line.files.map((name) => (
          <a key={name} href={routingFile(fabric, name)} download={name}>
            {name}
          </a>
        ))}
      </p>
      {trial && (
        <Notice kind={trial.fell_back || (trial.credit_loop && !trial.own_vls) || trial.unreachable_pairs > 0 ? "warn" : "good"}>
          <ul>
            {trial.sentences.map((sentence) => (
              <li key={sentence}>
                <Words of={sentence} />
              </li>
            ))}
          </ul>
          {tried_at && (
            <p className="small soft">
              Tried <Ago at={tried_at} />
            </p>
          )}
        </Notice>
      )}
      {untried && <p>{untried.charAt(0).toUpperCase() + untried.slice(1)}.</p>}
      <Try fabric={fabric} job={known.job} again={trial !== null} />
    </section>
  );
}

function Try({ fabric, job, again }: { fabric: string; job: string | null; again: boolean }) {
  const may = useMay("operator");
  const attempt = useTryRouting(fabric);
  const client = useQueryClient();
  const [started, setStarted] = useState<string | null>(null);
  const running = started ?? job;
  if (!may) return null;
  return (
    <>
      <div className="row">
        <Button
          size="xs"
          variant="default"
          loading={attempt.isPending}
          disabled={job !== null}
          onClick={() => attempt.mutate(undefined, { onSuccess: ({ id }) => setStarted(id) })}
        >
          {again ? "Try again" : "Try it"}
        </Button>
        <span className="small soft">OpenSM runs on an emulated twin; nothing changes on the fabric.</span>
      </div>
      <ErrorNotice error={attempt.error} />
      {running && (
        <JobProgress
          key={running}
          id={running}
          what={`Trial of the line: ${fabric}`}
          onEnd={() => client.invalidateQueries({ queryKey: ["fabrics", fabric, "routing"] })}
        />
      )}
    </>
  );
}
