// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan: which devices would get which attributes, and how many MADs. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import type { Plan } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Notice } from "@/components/notice";
import { profileName } from "@/format/profile_name";
import { count } from "@/format/quantity";

interface Props {
  fabric: string;
  plan: Plan;
  busy: boolean;
  onAgain: () => void;
}

export function PlanPanel({ fabric, plan, busy, onAgain }: Props) {
  const { totals } = plan;
  return (
    <section className="stack" aria-labelledby="plan">
      <div className="row ends">
        <h2 id="plan">The plan</h2>
        <Button size="xs" variant="default" loading={busy} onClick={onAgain}>
          Plan again
        </Button>
      </div>
      <p>
        From {profileName(plan.current)} to {profileName(plan.wanted)}:{" "}
        <strong>
          {count(totals.mads, "MAD")} to {count(totals.devices, "device")}
        </strong>
        {(totals.unknown ?? 0) > 0 && ` (the tables of ${count(totals.unknown ?? 0, "device")} are unknown)`}.
      </p>
      {(plan.warnings?.length ?? 0) > 0 && (
        <Notice kind="warn">
          <ul>
            {plan.warnings?.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <DataTable
        caption={`Plan for ${fabric}`}
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
        atOnce={20}
        empty={
          totals.devices === 0
            ? "Nothing would be sent: every device holds this profile already."
            : "The single devices are unknown here."
        }
      />
    </section>
  );
}
