// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The list of workloads. */

import { Button, TextInput } from "@mantine/core";
import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import { useWorkloads } from "@/api/queries/workloads";
import type { Workload } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";

const COLUMNS: Column<Workload>[] = [
  {
    key: "name",
    title: "Name",
    head: true,
    value: (row) => row.name,
    show: (row) => (
      <>
        <Link to={`/workloads/${encodeURIComponent(row.name)}`}>{row.name}</Link>{" "}
        {row.builtin && <span className="tag">built in</span>}
      </>
    ),
  },
  { key: "fabric", title: "Written for", value: (row) => row.fabric },
  { key: "duration_s", title: "Duration", unit: "s", numeric: true, value: (row) => row.duration_s },
  { key: "flows", title: "Flows", numeric: true, value: (row) => row.flows },
  { key: "patterns", title: "Patterns", numeric: true, value: (row) => row.patterns },
  { key: "belongs_to", title: "Used on", value: (row) => row.belongs_to ?? "all fabrics" },
  { key: "created_by", title: "By", value: (row) => row.created_by ?? "ibcc" },
  {
    key: "changed_at",
    title: "Changed",
    value: (row) => row.changed_at,
    show: (row) => (row.builtin ? "built in" : <Ago at={row.changed_at} />),
  },
];

export default function Workloads() {
  const workloads = useWorkloads();
  const may = useMay("operator");
  const q = useTyped(useAddress(), "q");
  const wanted = q.value.toLowerCase();
  return (
    <div className="stack">
      <PageHead title="Workloads">
        {may && (
          <Button component={Link} to="/workloads/new">
            New workload
          </Button>
        )}
      </PageHead>
      <p className="soft prose">
        A workload says who sends to whom, when and how much. Campaigns and checks measure with it on their fabric.
      </p>
      <TextInput
        label="Name or fabric"
        type="search"
        maw={320}
        value={q.value}
        onChange={(event) => q.type(event.currentTarget.value)}
      />
      <QueryView query={{ ...workloads, data: workloads.items }} rows={6}>
        {(items) => (
          <DataTable
            caption="Workloads"
            columns={COLUMNS}
            rows={items.filter(({ name, fabric }) => `${name} ${fabric}`.toLowerCase().includes(wanted))}
            rowKey={(row) => row.name}
            file="workloads"
            empty="No workload has this name."
          />
        )}
      </QueryView>
    </div>
  );
}
