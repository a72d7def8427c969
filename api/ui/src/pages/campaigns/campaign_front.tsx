// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The front that the search has found, and its hypervolume after each trial. */

import { Select } from "@mantine/core";
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";
import { useFront, useHypervolume } from "@/api/queries/campaigns";
import type { Front, Hypervolume } from "@/api/types";
import { Chart } from "@/charts/chart";
import { frontChart } from "@/charts/front";
import { hypervolumeChart } from "@/charts/hypervolume";
import type { Ink } from "@/charts/shared_options";
import { Explained } from "@/components/explained";
import { QueryView } from "@/components/query_view";
import { count, number, titleOf } from "@/format/quantity";

export function CampaignFront({ id }: { id: string }) {
  const front = useFront(id);
  const hypervolume = useHypervolume(id);
  return (
    <div className="halves">
      <section className="panel stack" aria-labelledby="front">
        <h2 id="front">Front</h2>
        <QueryView query={front} rows={8}>
          {(known) => (known.points.length === 0 ? <Nothing /> : <FrontChart id={id} front={known} />)}
        </QueryView>
      </section>
      <section className="panel stack" aria-labelledby="hypervolume">
        <h2 id="hypervolume">
          <Explained term="Hypervolume">
            The volume, in the product of the objectives' units, of all that the feasible trials are better than together, from
            the campaign's reference point on; with two objectives it is an area. It rises whenever a trial is better than all
            before it in some combination of objectives, and it never falls. Compare it only between campaigns with the same
            reference point.
          </Explained>
        </h2>
        <QueryView query={hypervolume} rows={8}>
          {(known) => (known.points.length === 0 ? <Nothing /> : <HypervolumeChart hypervolume={known} />)}
        </QueryView>
      </section>
    </div>
  );
}

function Nothing() {
  return <div className="empty">No trial has finished yet.</div>;
}

function FrontChart({ id, front }: { id: string; front: Front }) {
  const [names, setNames] = useState<[string?, string?]>([]);
  const navigate = useNavigate();
  const x = front.objectives.find(({ name }) => name === names[0]) ?? front.objectives[0];
  const y = front.objectives.find(({ name }) => name === names[1]) ?? front.objectives.find((one) => one !== x) ?? x;
  const option = useCallback((ink: Ink) => (x && y ? frontChart(front, x, y, ink) : {}), [front, x, y]);
  if (!x || !y) return <Nothing />;
  const data = front.objectives.map(({ name, title }) => ({ value: name, label: titleOf(title) }));
  const best = front.points.filter(({ on_front }) => on_front).length;
  return (
    <>
      {front.objectives.length > 2 && (
        <div className="row">
          <Select
            aria-label="Horizontal axis"
            data={data}
            value={x.name}
            onChange={(value) => setNames([value ?? undefined, y.name])}
          />
          <Select
            aria-label="Vertical axis"
            data={data}
            value={y.name}
            onChange={(value) => setNames([x.name, value ?? undefined])}
          />
        </div>
      )}
      <Chart
        label={`${count(best, "trial is", "trials are")} on the front of ${front.points.length}, by ${titleOf(x.name)} and ${titleOf(y.name)}`}
        caption={`${better(x.direction, "To the right", "To the left")} and ${better(y.direction, "up", "down")} is better. Click a mark to open its trial.`}
        option={option}
        table={() => ({
          columns: [
            "trial",
            "on_front",
            "feasible",
            ...front.objectives.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name)),
          ],
          rows: front.points.map((point) => [
            point.number,
            point.on_front,
            point.feasible,
            ...front.objectives.map(({ name }) => point.values[name]),
          ]),
        })}
        file="front"
        onPick={(mark) => {
          const trial = (mark as { trial?: number } | undefined)?.trial;
          if (trial !== undefined) navigate(`/campaigns/${id}/trials/${trial}`);
        }}
      />
    </>
  );
}

function HypervolumeChart({ hypervolume }: { hypervolume: Hypervolume }) {
  const option = useCallback((ink: Ink) => hypervolumeChart(hypervolume, ink), [hypervolume]);
  return (
    <Chart
      label={`Hypervolume of the feasible front after each of ${hypervolume.points.length} trials`}
      caption={`Volume that the front dominates, from the reference point (${referenceOf(hypervolume)}) on. While it rises, the search still finds better profiles.`}
      option={option}
      table={() => ({
        columns: ["trial", hypervolume.unit ? `hypervolume [${hypervolume.unit}]` : "hypervolume"],
        rows: hypervolume.points.map(({ trial, hypervolume: volume }) => [trial, volume]),
      })}
      file="hypervolume"
    />
  );
}

const referenceOf = ({ reference }: Hypervolume) =>
  Object.entries(reference)
    .map(([name, value]) => `${titleOf(name)} ${number(value)}`)
    .join(", ");

const better = (direction: string, most: string, least: string) => (direction === "maximize" ? most : least);
