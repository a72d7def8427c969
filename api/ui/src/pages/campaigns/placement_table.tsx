// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The flows of a workload on a fabric, as a table. */

import type { PlannedFlow, PlannedWorkload } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { count, number } from "@/format/quantity";

export function PlacementTable({ workload }: { workload: PlannedWorkload }) {
  const left = workload.flows_total - workload.flows.length;
  return (
    <div className="stack tight">
      <DataTable<PlannedFlow>
        caption={`Hosts of ${workload.workload}`}
        columns={[
          { key: "flow", title: "Flow", head: true, value: ({ flow }) => flow },
          { key: "role", title: "Role", value: ({ role }) => role },
          { key: "from", title: "From", value: ({ src_name }) => src_name },
          { key: "to", title: "To", value: ({ dst_name }) => dst_name },
          {
            key: "rate",
            title: "Asks for",
            unit: "Gb/s",
            numeric: true,
            value: ({ rate_gbps }) => rate_gbps,
            show: ({ rate_gbps }) => (rate_gbps === null ? "all it can get" : number(rate_gbps)),
          },
        ]}
        rows={workload.flows}
        rowKey={({ flow }) => flow}
        atOnce={12}
      />
      {left > 0 && <p className="small soft">and {count(left, "more flow")}.</p>}
      {workload.shared.map(({ flow, links, contributors }) => (
        <p key={flow} className="small breaks">
          {flow} shares {links.join(", ")} with {contributors.join(", ")}.
        </p>
      ))}
    </div>
  );
}
