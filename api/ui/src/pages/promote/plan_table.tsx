// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The devices of a plan, with the attributes and MADs that each would get. */

import { Link } from "react-router";
import type { Plan } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { count, number } from "@/format/quantity";

export function PlanTable({ fabric, plan }: { fabric: string; plan: Plan }) {
  const { totals } = plan;
  return (
    <DataTable
      caption={`Plan for ${fabric}${
        plan.devices.length > 0 && plan.devices.length < totals.devices
          ? `: the first ${number(plan.devices.length)} of ${count(totals.devices, "device")}`
          : ""
      }`}
      columns={[
        {
          key: "name",
          title: "Device",
          head: true,
          value: (row) => row.name,
          show: (row) => (
            <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(row.guid)}`}>
              {row.name}
              {row.port ? `, port ${row.port}` : ""}
            </Link>
          ),
        },
        { key: "guid", title: "GUID", value: (row) => row.guid, show: (row) => <code>{row.guid}</code> },
        {
          key: "attributes",
          title: "Attributes",
          value: (row) => row.attributes.join(" "),
          show: (row) => row.attributes.join(", "),
        },
        { key: "mads", title: "MADs", numeric: true, value: (row) => row.mads },
      ]}
      rows={plan.devices}
      rowKey={(row) => `${row.guid} ${row.port ?? 0}`}
      file={`${fabric}-plan`}
      atOnce={8}
      empty={
        totals.devices === 0
          ? "Nothing would be sent: every device holds this profile already."
          : "The OpenSM plugin is older and only counts the devices."
      }
    />
  );
}
