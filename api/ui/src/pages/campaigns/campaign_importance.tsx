// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The importance of each parameter. */

import { useCallback } from "react";
import { useImportance } from "@/api/queries/campaigns";
import type { Importance } from "@/api/types";
import { Chart } from "@/charts/chart";
import { byWeight, importanceChart } from "@/charts/importance";
import type { Ink } from "@/charts/shared_options";
import { QueryView } from "@/components/query_view";

export function CampaignImportance({ id }: { id: string }) {
  const importance = useImportance(id);
  return (
    <section className="panel stack" aria-labelledby="importance">
      <h2 id="importance">Importance of the parameters</h2>
      <QueryView query={importance} rows={6}>
        {(known) =>
          Object.values(known.shares).some((shares) => Object.keys(shares).length > 0) ? (
            <ImportanceChart importance={known} />
          ) : (
            <div className="empty">There are too few trials yet to compute it.</div>
          )
        }
      </QueryView>
    </section>
  );
}

function ImportanceChart({ importance }: { importance: Importance }) {
  const option = useCallback((ink: Ink) => importanceChart(importance, ink), [importance]);
  const parameters = byWeight(importance).reverse();
  return (
    <Chart
      label={`Importance: ${parameters[0] ?? "nothing"} matters most`}
      caption={importance.caution ?? "Share of each objective's variation that a parameter explains, by functional ANOVA."}
      option={option}
      table={() => ({
        columns: ["parameter", ...Object.keys(importance.shares)],
        rows: parameters.map((parameter) => [parameter, ...Object.values(importance.shares).map((shares) => shares[parameter])]),
      })}
      file="importance"
    />
  );
}
