// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An editor of a workload, with its flows beside it; the service validates it while it is edited. */

import { Select } from "@mantine/core";
import { useMemo, useState } from "react";
import { useWorkloadValidation } from "@/api/queries/documents";
import { useFabrics } from "@/api/queries/fabrics";
import { Former } from "@/components/former";
import { Notice } from "@/components/notice";
import { useHostNames } from "@/components/yaml_editor/host_names";
import { useNames } from "@/components/yaml_editor/names";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { FlowPanel } from "@/pages/workloads/flow_panel";
import { fabricIn, HOST_PLACES } from "@/pages/workloads/workload_text";

interface Props {
  text: string;
  /** Name of the workload in the service, once it has one. */
  name?: string;
  onChange: (text: string) => void;
  /** The service's answer to the last attempt to save. */
  error: unknown;
}

export function WorkloadEditor({ text, name, onChange, error }: Props) {
  const fabrics = useFabrics().items ?? [];
  const [fabric, setFabric] = useState<string | null>(null);
  const validation = useWorkloadValidation({ document: text, name, fabric });
  const listed = useNames({ fabric: "fabrics" });
  const named = fabric ?? fabricIn(text);
  const hosts = useHostNames(fabrics.some(({ name }) => name === named) ? named : null, HOST_PLACES);
  const names = useMemo(() => ({ ...listed, ...hosts }), [listed, hosts]);
  const found = validation.data;
  return (
    <div className="halves">
      <YamlEditor
        kind="workload"
        label="Document"
        value={text}
        onChange={onChange}
        problems={found?.problems}
        warnings={found?.warnings}
        error={error}
        names={names}
      />
      <div className="stack">
        <Select
          label="Look for its hosts on"
          description="Ctrl+Space offers its hosts. A campaign runs the workload on the campaign's own fabric."
          placeholder="The fabric that it names"
          clearable
          data={fabrics.map((one) => one.name)}
          value={fabric}
          onChange={setFabric}
        />
        {found?.valid && !validation.isOld && <Notice kind="good">The workload is valid.</Notice>}
        {validation.error && <Notice kind="bad">The service could not validate this text.</Notice>}
        <Former when={validation.isOld}>{found && <FlowPanel validation={found} />}</Former>
      </div>
    </div>
  );
}
