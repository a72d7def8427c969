// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A new workload: an example to begin with, or a copy of another one. */

import { Button, Select } from "@mantine/core";
import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { useCreateWorkload, useWorkload } from "@/api/queries/workloads";
import { useLeaveGuard } from "@/components/leave_guard";
import { ErrorNotice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { WorkloadEditor } from "@/pages/workloads/workload_editor";
import { NEW_WORKLOAD, nameIn, renamed } from "@/pages/workloads/workload_text";

export default function NewWorkload() {
  const [search] = useSearchParams();
  const from = search.get("from") ?? "";
  const original = useWorkload(from);
  const fabrics = useFabrics();
  const [text, setText] = useState(from ? "" : NEW_WORKLOAD);
  const [begun, setBegun] = useState(from ? "" : NEW_WORKLOAD);
  const [belongsTo, setBelongsTo] = useState<string | null>(null);
  const create = useCreateWorkload();
  const navigate = useNavigate();
  const source = original.data?.document;
  useEffect(() => {
    if (!source) return;
    const copy = renamed(source, `${from}-copy`);
    setText((old) => old || copy);
    setBegun(copy);
  }, [source, from]);
  useLeaveGuard(text !== begun && !create.isSuccess);
  const name = nameIn(text);
  const save = () =>
    create.mutate(
      { name, document: text, belongs_to: belongsTo },
      { onSuccess: (workload) => navigate(`/workloads/${encodeURIComponent(workload.name)}`) },
    );
  return (
    <div className="stack">
      <PageHead title="New workload" crumbs={[{ to: "/workloads", text: "Workloads" }]} />
      <ErrorNotice error={original.error} />
      <WorkloadEditor text={text} onChange={setText} error={create.error} />
      <div className="panel row bottom">
        <Select
          className="grow"
          label="Used on"
          placeholder="All fabrics"
          clearable
          data={fabrics.items?.map((fabric) => fabric.name) ?? []}
          value={belongsTo}
          onChange={setBelongsTo}
        />
        <Button loading={create.isPending} disabled={!name} onClick={save}>
          Save as {name || "…"}
        </Button>
      </div>
    </div>
  );
}
