// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Edits a workload. A conflict with another edit is shown, and no text is lost. */

import { Button, Select } from "@mantine/core";
import { useEffect, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { Problem } from "@/api/problem";
import { useFabrics } from "@/api/queries/fabrics";
import { useSaveWorkload, useWorkload } from "@/api/queries/workloads";
import type { Workload } from "@/api/types";
import { useLeaveGuard } from "@/components/leave_guard";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { WorkloadEditor } from "@/pages/workloads/workload_editor";

export default function EditWorkload() {
  const { name = "" } = useParams();
  const workload = useWorkload(name);
  const address = `/workloads/${encodeURIComponent(name)}`;
  return (
    <div className="stack">
      <PageHead
        title={`Edit ${name}`}
        crumbs={[
          { to: "/workloads", text: "Workloads" },
          { to: address, text: name },
        ]}
      />
      <QueryView query={workload} rows={12}>
        {(known) => <Edited workload={known} address={address} />}
      </QueryView>
    </div>
  );
}

function Edited({ workload, address }: { workload: Workload; address: string }) {
  // The workload with which editing began; a change that somebody else saves meanwhile must not slip in.
  const [begun, setBegun] = useState(workload);
  const [text, setText] = useState(workload.document);
  const [belongsTo, setBelongsTo] = useState(workload.belongs_to);
  const fabrics = useFabrics();
  const save = useSaveWorkload(workload.name);
  const navigate = useNavigate();
  const changed = text !== begun.document || belongsTo !== begun.belongs_to;
  useLeaveGuard(changed && !save.isSuccess);
  useEffect(() => {
    if (!changed) setBegun(workload);
  }, [workload, changed]);
  const overtaken = save.error instanceof Problem && save.error.status === 412;
  const store = (etag: string) =>
    save.mutate({ document: text, belongs_to: belongsTo, etag }, { onSuccess: () => navigate(address) });
  return (
    <>
      <WorkloadEditor text={text} name={workload.name} onChange={setText} error={overtaken ? null : save.error} />
      {overtaken && (
        <Notice kind="bad" title="Somebody else has changed this workload">
          <p>Look at it before you overwrite it: open this page in another tab.</p>
          {/* The other's version arrives after the 412; until then the same ETag would be refused again. */}
          <Button size="xs" color="red" loading={workload.etag === save.variables?.etag} onClick={() => store(workload.etag)}>
            Save mine instead
          </Button>
        </Notice>
      )}
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
        <Button loading={save.isPending} disabled={!changed} onClick={() => store(begun.etag)}>
          Save
        </Button>
      </div>
    </>
  );
}
