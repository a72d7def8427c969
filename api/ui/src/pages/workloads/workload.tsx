// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One workload: its document, its flows, and who uses it. */

import { Button, Tabs } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useWorkloadValidation } from "@/api/queries/documents";
import { useMay } from "@/api/queries/session";
import { useDeleteWorkload, useWorkload, useWorkloadUses } from "@/api/queries/workloads";
import type { Workload, WorkloadUse } from "@/api/types";
import { AddressTabs } from "@/components/address_tabs";
import { Confirm } from "@/components/confirm";
import { type Column, DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { download } from "@/format/csv";
import { quantity } from "@/format/quantity";
import { FlowPanel } from "@/pages/workloads/flow_panel";

export default function WorkloadPage() {
  const { name = "" } = useParams();
  const workload = useWorkload(name);
  return (
    <div className="stack">
      <PageHead title={name} crumbs={[{ to: "/workloads", text: "Workloads" }]}>
        {workload.data && <Actions workload={workload.data} />}
      </PageHead>
      <QueryView query={workload} rows={10}>
        {(known) => (
          <AddressTabs first="flows">
            <Tabs.List>
              <Tabs.Tab value="flows">Flows</Tabs.Tab>
              <Tabs.Tab value="document">Document</Tabs.Tab>
              <Tabs.Tab value="uses">Used by</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="flows" pt="md">
              <Flows workload={known} />
            </Tabs.Panel>
            <Tabs.Panel value="document" pt="md">
              <div className="stack">
                <YamlEditor kind="workload" label="Document" value={known.document} />
                <span>
                  <button
                    type="button"
                    className="plain-link small"
                    onClick={() => download(`${known.name}.yaml`, known.document, "application/yaml")}
                  >
                    YAML
                  </button>
                </span>
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="uses" pt="md">
              <Uses name={known.name} />
            </Tabs.Panel>
          </AddressTabs>
        )}
      </QueryView>
    </div>
  );
}

function Flows({ workload }: { workload: Workload }) {
  const validation = useWorkloadValidation({ document: workload.document });
  return (
    <div className="stack">
      <section className="panel" aria-label="About the workload">
        <Facts
          facts={[
            ["Written for", workload.fabric],
            ["Used on", workload.belongs_to ?? "all fabrics"],
            ["Duration", quantity(workload.duration_s, "s")],
            ["By", workload.created_by ?? "ibcc"],
            ...(workload.builtin
              ? []
              : [["Changed", <At key="changed" at={workload.changed_at} />] as [string, React.ReactNode]]),
          ]}
        />
      </section>
      <QueryView query={validation} rows={8}>
        {(known) => <FlowPanel validation={known} file={workload.name} />}
      </QueryView>
    </div>
  );
}

const USES: Column<WorkloadUse>[] = [
  {
    key: "name",
    title: "Name",
    head: true,
    value: (row) => row.name,
    show: (row) => <Link to={`/${row.kind}s/${encodeURIComponent(row.id)}`}>{row.name}</Link>,
  },
  { key: "kind", title: "Kind", value: (row) => row.kind },
  { key: "fabric", title: "Fabric", value: (row) => row.fabric },
  { key: "state", title: "State", value: (row) => row.state, show: (row) => (row.state ? <Tag state={row.state} /> : "–") },
];

function Uses({ name }: { name: string }) {
  const uses = useWorkloadUses(name);
  return (
    <div className="stack">
      <p className="soft prose">
        A campaign keeps the document with which it was created. A check reads the present one each night.
      </p>
      <QueryView query={uses}>
        {(known) => (
          <DataTable
            caption="Used by"
            columns={USES}
            rows={known}
            rowKey={(row) => `${row.kind} ${row.id}`}
            empty="No campaign and no check names this workload."
          />
        )}
      </QueryView>
    </div>
  );
}

function Actions({ workload }: { workload: Workload }) {
  const may = useMay("operator");
  const remove = useDeleteWorkload();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const at = encodeURIComponent(workload.name);
  if (!may) return null;
  return (
    <>
      {!workload.builtin && (
        <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <Button variant="default" component={Link} to={`/workloads/new?from=${at}`}>
        Copy
      </Button>
      {!workload.builtin && (
        <Button component={Link} to={`/workloads/${at}/edit`}>
          Edit
        </Button>
      )}
      <Confirm
        opened={asking}
        title={`Delete ${workload.name}?`}
        action="Delete"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ name: workload.name, etag: workload.etag }, { onSuccess: () => navigate("/workloads") })}
        onClose={() => setAsking(false)}
      >
        <p>Existing campaigns keep their copy. Checks that name it cannot be run any more.</p>
      </Confirm>
    </>
  );
}
