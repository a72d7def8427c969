// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The importance of each parameter. */

import { useCallback } from "react";
import { useImportance } from "@/api/queries/campaigns";
import type { Importance } from "@/api/types";
import { Chart } from "@/charts/chart";
import { byWeight, importanceChart } from "@/charts/importance";
import type { Ink } from "@/charts/shared_options";
import { QueryView } from "@/components/query_view";
import { titleOf } from "@/format/quantity";

export function CampaignImportance({ id }: { id: string }) {
  const importance = useImportance(id);
  return (
    <section className="panel stack" aria-labelledby="importance">
      <h2 id="importance">Importance of the parameters</h2>
      <QueryView query={importance} rows={6}>
        {(known) => (
          <>
            {Object.values(known.shares).some((shares) => Object.keys(shares).length > 0) ? (
              <ImportanceChart importance={known} />
            ) : (
              known.within_noise.length === 0 && <div className="empty">There are too few trials yet to compute it.</div>
            )}
            {known.within_noise.length > 0 && (
              <p>
                The trials do not differ beyond noise in {known.within_noise.map(titleOf).join(" and ")}: no parameter is
                important for it.
              </p>
            )}
          </>
        )}
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
      caption={importance.caution ?? importance.evaluator}
      option={option}
      table={() => ({
        columns: ["parameter", ...Object.keys(importance.shares)],
        rows: parameters.map((parameter) => [parameter, ...Object.values(importance.shares).map((shares) => shares[parameter])]),
      })}
      file="importance"
    />
  );
}
