// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The shape of an imported fabric, what OpenSM runs there, and what each routing would give. */

import type { RoutingAdvice } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Notice } from "@/components/notice";
import { Words } from "@/components/words";
import { number, percent } from "@/format/quantity";

type Engine = RoutingAdvice["engines"][number];

export function Routing({ advice }: { advice: RoutingAdvice }) {
  const { shape, opensm, chosen, engines } = advice;
  const tried = opensm.engines.map(({ engine }) => engine).join(",");
  return (
    <section className="stack tight" aria-labelledby="routing">
      <h2 id="routing">Routing</h2>
      {shape.missing.length > 0 && (
        <Notice kind="warn" title="Missing, or odd for this shape">
          <ul className="import-lists">
            {shape.missing.map((sentence) => (
              <li key={sentence}>
                <Words of={sentence} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <p>
        Shape: {shape.text}. OpenSM runs such fabrics with <code>-R {tried}</code>: {opensm.reason}.
      </p>
      <p>
        The simulator&rsquo;s <b>{chosen.routing}</b> suits it: {chosen.reason}.
      </p>
      <DataTable
        caption="Routings under uniform traffic"
        columns={[
          { key: "routing", title: "Routing", head: true, value: name },
          { key: "opensm", title: "As OpenSM's", value: ({ opensm }) => opensm.join(", ") },
          {
            key: "uniform",
            title: "Throughput",
            numeric: true,
            value: ({ loads }) => loads?.uniform_share ?? null,
            show: ({ loads }) => (loads ? percent(loads.uniform_share) : "–"),
          },
          {
            key: "used",
            title: "Links used",
            numeric: true,
            value: ({ loads }) => loads?.used ?? null,
            show: ({ loads }) => (loads ? `${number(loads.used)} of ${number(loads.directions)}` : "–"),
          },
          { key: "deadlock", title: "Deadlock", value: remark },
        ]}
        rows={engines}
        rowKey={name}
      />
    </section>
  );
}

function name({ routing, as_it_is }: Engine): string {
  return as_it_is ? `${routing}, as it is` : routing;
}

function remark({ refused, credit_loop, loads, vls }: Engine): string {
  if (refused !== null) return "cannot route this fabric";
  if (loads && loads.unreachable_pairs > 0) return `no route for ${number(loads.unreachable_pairs)} pairs of hosts`;
  if (credit_loop !== null) return "possible: the routes have a credit loop";
  return vls > 1 ? `none, with ${vls} VLs` : "none";
}
