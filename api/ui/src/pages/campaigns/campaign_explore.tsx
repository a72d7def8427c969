// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Charts of all trials: parallel coordinates, slices, and the best value so far. */

import { Select } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";
import { useTrialPoints } from "@/api/queries/campaigns";
import type { Front, Objective } from "@/api/types";
import { bestSoFar, bestSoFarChart } from "@/charts/best_so_far";
import { Chart } from "@/charts/chart";
import { parallelChart, parametersOf } from "@/charts/parallel";
import type { Ink } from "@/charts/shared_options";
import { sliceChart } from "@/charts/slice";
import { QueryView } from "@/components/query_view";
import type { Cell } from "@/format/csv";
import { count, titleOf } from "@/format/quantity";

export function CampaignExplore({ id }: { id: string }) {
  const points = useTrialPoints(id);
  return (
    <QueryView query={points} rows={12}>
      {(front) =>
        front.points.length === 0 ? (
          <div className="empty">No trial has finished yet.</div>
        ) : (
          <div className="stack">
            <Parallel id={id} front={front} />
            <ByObjective id={id} front={front} />
          </div>
        )
      }
    </QueryView>
  );
}

function useOpenTrial(id: string) {
  const navigate = useNavigate();
  return (mark: unknown) => {
    const trial = (mark as { trial?: number } | undefined)?.trial;
    if (trial !== undefined) navigate(`/campaigns/${id}/trials/${trial}`);
  };
}

function Parallel({ id, front }: { id: string; front: Front }) {
  const narrow = useMediaQuery("(max-width: 700px)");
  const option = useCallback((ink: Ink) => parallelChart(front, ink, narrow), [front, narrow]);
  const open = useOpenTrial(id);
  const parameters = parametersOf(front);
  return (
    <section className="panel stack" aria-labelledby="parallel">
      <h2 id="parallel">Parallel coordinates</h2>
      <Chart
        label={`${count(front.points.length, "trial")} as lines through ${count(parameters.length, "parameter")} and ${count(front.objectives.length, "objective")}`}
        caption="Drag along an axis to keep the trials that pass there; click the axis to keep all again. Click a line to open its trial."
        option={option}
        table={() => tableOf(front, parameters)}
        file="trials"
        size={narrow ? "tall" : undefined}
        onPick={open}
      />
    </section>
  );
}

function tableOf({ points, objectives }: Front, parameters: string[]) {
  return {
    columns: ["trial", "feasible", "on_front", ...parameters, ...objectives.map(({ name }) => name)],
    rows: points.map((point): Cell[] => [
      point.number,
      point.feasible,
      point.on_front,
      ...parameters.map((name) => point.params?.[name] as Cell),
      ...objectives.map(({ name }) => point.values[name]),
    ]),
  };
}

function ByObjective({ id, front }: { id: string; front: Front }) {
  const [name, setName] = useState(front.objectives[0]?.name ?? "");
  const parameters = parametersOf(front);
  const [parameter, setParameter] = useState(parameters[0] ?? "");
  const objective = front.objectives.find((one) => one.name === name) ?? front.objectives[0];
  if (!objective) return null;
  return (
    <>
      <div className="row">
        <Select
          label="Objective"
          data={front.objectives.map((one) => ({ value: one.name, label: titleOf(one.title) }))}
          value={objective.name}
          allowDeselect={false}
          onChange={(value) => value && setName(value)}
        />
        <Select
          label="Parameter of the slice"
          data={parameters}
          value={parameter}
          allowDeselect={false}
          searchable
          onChange={(value) => value && setParameter(value)}
        />
      </div>
      <div className="halves">
        <Slice id={id} front={front} objective={objective} parameter={parameter} />
        <Best id={id} front={front} objective={objective} />
      </div>
    </>
  );
}

interface ChartProps {
  id: string;
  front: Front;
  objective: Objective;
}

function Slice({ id, front, objective, parameter }: ChartProps & { parameter: string }) {
  const option = useCallback((ink: Ink) => sliceChart(front, parameter, objective, ink), [front, parameter, objective]);
  return (
    <section className="panel stack" aria-labelledby="slice">
      <h2 id="slice">Slice</h2>
      <Chart
        label={`${titleOf(objective.title)} by ${parameter}, of ${count(front.points.length, "trial")}`}
        caption="Each mark is a trial; the other parameters differ too. Click a mark to open its trial."
        option={option}
        table={() => tableOf({ ...front, objectives: [objective] }, [parameter])}
        file={`slice-${parameter}`}
        onPick={useOpenTrial(id)}
      />
    </section>
  );
}

function Best({ id, front, objective }: ChartProps) {
  const option = useCallback((ink: Ink) => bestSoFarChart(front, objective, ink), [front, objective]);
  return (
    <section className="panel stack" aria-labelledby="best-so-far">
      <h2 id="best-so-far">Best so far</h2>
      <Chart
        label={`Best ${titleOf(objective.title).toLowerCase()} of the feasible trials so far`}
        caption={`${objective.direction === "maximize" ? "More" : "Less"} is better. Trials that break a constraint do not count.`}
        option={option}
        table={() => ({ columns: ["trial", `best ${objective.name}`], rows: bestSoFar(front, objective) })}
        file="best-so-far"
        onPick={useOpenTrial(id)}
      />
    </section>
  );
}
