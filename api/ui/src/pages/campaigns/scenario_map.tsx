// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Which profile of a campaign serves which scenario, and what each further scenario costs. */

import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Campaign } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { asSentence } from "@/pages/profiles/parameter_input";

interface MapRow {
  /** `recommended`, `published`, `best for acks`, or several of them. */
  role: string;
  origin: string;
  trial: number | null;
  served: number;
  of: number;
  /** In the order of the scenarios: `served`, or who loses. */
  cells: string[];
}

interface Price {
  served: number;
  scenario: string;
  trial: number | null;
  /** Part of their throughput with congestion control off that contributors keep in the worst case; null: no trial serves these. */
  contributors_share: number | null | undefined;
}

interface Scenarios {
  names: string[];
  rows: MapRow[];
  prices: Price[];
}

export function ScenarioMap({ campaign }: { campaign: Campaign }) {
  const scenarios = campaign.best?.scenarios as Scenarios | null | undefined;
  if (!scenarios) return null;
  const { names, rows, prices } = scenarios;
  return (
    <>
      <DataTable
        caption="Scenarios by profile"
        columns={mapColumns(rows)}
        rows={linesOf(campaign.id, names)}
        className="by-devices by-line"
        rowKey={({ title }) => title}
      />
      {prices.length > 0 && (
        <>
          <p>What the best trial leaves contributors in the worst case, as each further scenario is served, the easiest first:</p>
          <DataTable
            caption="Price of each further scenario"
            columns={priceColumns(campaign.id)}
            rows={prices}
            className="by-devices"
            rowKey={({ scenario }) => scenario}
          />
        </>
      )}
    </>
  );
}

/** A scenario, or what is said of each profile above all scenarios. */
interface Line {
  title: string;
  show: (row: MapRow) => ReactNode;
}

/** Scenarios are lines, as there may be hundreds, and profiles are columns. */
function linesOf(id: string, names: string[]): Line[] {
  return [
    { title: "From", show: (row) => <Trial id={id} {...row} /> },
    { title: "Serves", show: ({ served, of }) => `${served} of ${of}` },
    ...names.map((name, place): Line => ({ title: name, show: ({ cells }) => cellOf(cells[place]) })),
  ];
}

function cellOf(cell: string | undefined): ReactNode {
  return cell === "served" ? cell : <strong>{cell ?? "–"}</strong>;
}

function mapColumns(rows: MapRow[]): Column<Line>[] {
  return [
    { key: "scenario", title: "Scenario", head: true, value: ({ title }) => title },
    ...rows.map(
      (row): Column<Line> => ({
        key: row.role,
        title: asSentence(row.role).replace(/\.$/, ""),
        value: ({ show }) => String(show(row)),
        show: ({ show }) => show(row),
      }),
    ),
  ];
}

/** Two columns, since a telephone has room for no more. */
function priceColumns(id: string): Column<Price>[] {
  return [
    {
      key: "scenario",
      title: "Scenarios served",
      head: true,
      value: ({ served }) => served,
      show: ({ served, scenario }) => `${served}: ${served > 1 ? "and " : ""}${scenario}`,
    },
    {
      key: "kept",
      title: "Contributors keep",
      value: ({ contributors_share }) => contributors_share,
      show: ({ contributors_share, trial }) => (
        <>
          {typeof contributors_share === "number"
            ? `${(100 * contributors_share).toFixed(1)} %`
            : trial === null
              ? "not served"
              : "–"}
          {trial !== null && (
            <>
              {" "}
              <Trial id={id} origin={`trial ${trial}`} trial={trial} />
            </>
          )}
        </>
      ),
    },
  ];
}

function Trial({ id, origin, trial }: { id: string; origin: string; trial: number | null }) {
  return trial === null ? origin : <Link to={`/campaigns/${id}/trials/${trial}`}>{origin}</Link>;
}
