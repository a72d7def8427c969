// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Who sends to whom, and when: a bar for each flow, in a table. */

import "@/pages/workloads/workloads.css";
import type { FlowPreview, WorkloadValidation } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { number, quantity } from "@/format/quantity";

interface Props {
  validation: WorkloadValidation;
  /** Name of the files to download. */
  file?: string;
}

export function FlowPanel({ validation, file }: Props) {
  const { flows, flows_total: total, fabric, duration_s: duration } = validation;
  if (flows.length === 0 || duration === null)
    return <div className="empty">The flows are shown here once the document is valid and its fabric is known.</div>;
  const where = fabric ? ` on ${fabric}` : "";
  const chosen = validation.placed ? " Its hosts were chosen by their roles, as a campaign there chooses them." : "";
  const shown = total !== null && total > flows.length ? `The first ${flows.length} of ${number(total)} flows` : "Flows";
  return (
    <section className="stack tight" aria-label="Flows">
      <p className="soft small">
        {shown}
        {where}; a bar shows when a flow is active, from 0 to {quantity(duration, "s")}.{chosen}
      </p>
      <DataTable
        caption={`Flows${where}`}
        columns={columns(duration)}
        rows={flows}
        rowKey={(row) => row.name}
        file={file && `${file}-flows`}
        atOnce={40}
      />
    </section>
  );
}

function columns(duration: number): Column<FlowPreview>[] {
  return [
    { key: "name", title: "Flow", head: true, value: (row) => row.name },
    { key: "src", title: "From", value: (row) => row.src },
    { key: "dst", title: "To", value: (row) => row.dst },
    { key: "role", title: "Role", value: (row) => row.role },
    { key: "start_s", title: "Active", value: (row) => row.start_s, show: (row) => <Bar flow={row} duration={duration} /> },
    {
      key: "rate_gbps",
      title: "Rate",
      unit: "Gb/s",
      numeric: true,
      value: (row) => row.rate_gbps,
      show: (row) => (row.rate_gbps === null ? "all" : number(row.rate_gbps)),
    },
  ];
}

/** Width of the whole run, in units of the picture. */
const WIDTH = 200;

function Bar({ flow, duration }: { flow: FlowPreview; duration: number }) {
  const at = (time: number) => (Math.min(Math.max(time / duration, 0), 1) * WIDTH).toFixed(1);
  const width = Math.max(Number(at(flow.stop_s)) - Number(at(flow.start_s)), 1);
  const words = `from ${quantity(flow.start_s, "s")} to ${quantity(flow.stop_s, "s")}`;
  return (
    <svg className={`flow-bar ${flow.role}`} viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      <rect className="run" x="0" y="4" width={WIDTH} height="2" />
      <rect className="active" x={at(flow.start_s)} y="0" width={width} height="10" />
    </svg>
  );
}
