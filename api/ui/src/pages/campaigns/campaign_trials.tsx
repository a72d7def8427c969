// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** All trials in a table, of which two to four can be compared. */

import { Button, Checkbox } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link } from "react-router";
import { useFront, useTrials } from "@/api/queries/campaigns";
import { address, path } from "@/api/request";
import type { Trial } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import type { Cell } from "@/format/csv";
import { number, titleOf, unitOf } from "@/format/quantity";
import { MOST } from "@/pages/campaigns/compared_rows";
import { ALL, passes, TrialFilterFields } from "@/pages/campaigns/trial_filter";

export function CampaignTrials({ id, name }: { id: string; name: string }) {
  const trials = useTrials(id);
  const front = useFront(id).data;
  const best = useMemo(() => new Set(front?.points.filter((point) => point.on_front).map((point) => point.number)), [front]);
  const [filter, setFilter] = useState(ALL);
  const [chosen, setChosen] = useState<number[]>([]);
  const choose = (trial: number) =>
    setChosen(chosen.includes(trial) ? chosen.filter((one) => one !== trial) : [...chosen, trial]);
  const units = useMemo(() => new Map(front?.objectives.map((objective) => [objective.name, objective.unit])), [front]);
  return (
    <QueryView query={{ ...trials, data: trials.items }} rows={10}>
      {(rows) => (
        <>
          <div className="row ends">
            <TrialFilterFields
              filter={filter}
              onChange={setFilter}
              states={[...new Set(rows.map((row) => stateOf(row, best)))].sort()}
              objectives={namesOf(rows, "values")}
              parameters={namesOf(rows, "params")}
            />
            {chosen.length >= 2 ? (
              <Button component={Link} to={`/campaigns/${id}/compare?trials=${chosen.join(",")}`}>
                Compare {chosen.length} trials
              </Button>
            ) : (
              <Button disabled>Compare</Button>
            )}
          </div>
          <p className="small soft">
            Tick two to {MOST} trials to compare them.
            {filter !== ALL &&
              ` ${rows.filter((row) => passes(filter, row, stateOf(row, best))).length} of the ${rows.length} trials loaded pass the filter.`}
          </p>
          <DataTable
            caption={`Trials of ${name}`}
            columns={[tick(chosen, choose), ...columns(id, rows, best, units)]}
            rows={rows.filter((row) => passes(filter, row, stateOf(row, best)))}
            rowKey={(row) => String(row.number)}
            rowClass={(row) => (best.has(row.number) ? "chosen" : row.feasible === false ? "faint" : undefined)}
            file={`${name}-trials`}
            empty={rows.length > 0 ? "No trial passes the filter." : "No trial yet."}
          />
          <div className="row small">
            {trials.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => trials.fetchNextPage()}>
                Load more trials
              </button>
            )}
            <a href={address(path`/campaigns/${id}/trials`, { format: "csv" })} download={`${name}-trials.csv`}>
              All trials as CSV
            </a>
          </div>
        </>
      )}
    </QueryView>
  );
}

const namesOf = (rows: Trial[], part: "values" | "params") => [...new Set(rows.flatMap((row) => Object.keys(row[part])))];

function tick(chosen: number[], choose: (trial: number) => void): Column<Trial> {
  return {
    key: "compare",
    title: "",
    value: () => null,
    show: ({ number: trial }) => (
      <Checkbox
        size="xs"
        aria-label={`Compare trial ${trial}`}
        checked={chosen.includes(trial)}
        disabled={!chosen.includes(trial) && chosen.length >= MOST}
        onChange={() => choose(trial)}
      />
    ),
  };
}

function columns(id: string, rows: Trial[], best: Set<number>, units: Map<string, string>): Column<Trial>[] {
  const values = namesOf(rows, "values");
  const params = namesOf(rows, "params");
  return [
    {
      key: "number",
      title: "Trial",
      numeric: true,
      head: true,
      value: (row) => row.number,
      show: (row) => <Link to={`/campaigns/${id}/trials/${row.number}`}>{row.number}</Link>,
    },
    {
      key: "state",
      title: "State",
      value: (row) => stateOf(row, best),
      show: (row) => <Tag state={stateOf(row, best)} tone={best.has(row.number) ? "good" : undefined} />,
    },
    ...values.map(
      (name): Column<Trial> => ({
        key: name,
        title: titleOf(name),
        unit: units.get(name) || unitOf(name),
        numeric: true,
        value: (row) => row.values[name],
        show: (row) => number(row.values[name]),
      }),
    ),
    { key: "origin", title: "From", value: (row) => row.origin },
    ...params.map(
      (name): Column<Trial> => ({
        key: name,
        title: name,
        unit: unitOf(name),
        numeric: true,
        value: (row) => row.params[name] as Cell,
        show: (row) => {
          const value = row.params[name];
          return typeof value === "number" ? number(value) : String(value ?? "–");
        },
      }),
    ),
  ];
}

function stateOf(trial: Trial, best: Set<number>): string {
  if (best.has(trial.number)) return "on the front";
  return trial.state === "complete" && !trial.feasible ? "infeasible" : trial.state;
}
