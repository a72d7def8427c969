// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A fabric: its topology with congestion, its state, its devices, and actions on it. */

import { Button, Select, Tabs } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useFabricAction, useFabricState, useFabrics } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import type { FabricState, Job } from "@/api/types";
import { AddressTabs } from "@/components/address_tabs";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { profileName } from "@/format/profile_name";
import { Adopt } from "@/pages/fabric/adopt";
import { DeviceList } from "@/pages/fabric/device_list";
import { DiagnosisTab } from "@/pages/fabric/diagnosis_tab";
import { FabricCapacity } from "@/pages/fabric/low_capacity";
import { NotCurrent } from "@/pages/fabric/not_current";
import { RollbackPlan } from "@/pages/fabric/rollback_plan";
import { RoutingTab } from "@/pages/fabric/routing_tab";
import { TopologyTab } from "@/pages/fabric/topology_tab";
import { TwinPanel } from "@/pages/fabric/twin_panel";
import { Versions } from "@/pages/fabric/versions";

export default function FabricPage() {
  const { fabric = "" } = useParams();
  const listed = useFabrics();
  const fabrics = listed.items ?? [];
  const navigate = useNavigate();
  const [running, setRunning] = useState<Running | null>(null);
  if (listed.items && !listed.hasNextPage && !fabrics.some(({ name }) => name === fabric)) return <NoFabric name={fabric} />;
  return (
    <div className="stack">
      <PageHead title={fabric}>
        {fabrics.length > 1 && (
          <Select
            aria-label="Fabric"
            data={fabrics.map(({ name }) => name)}
            value={fabric}
            onChange={(name) => name && navigate(`/fabrics/${encodeURIComponent(name)}`)}
          />
        )}
        <Button variant="default" component={Link} to={`/profiles/suggest?fabric=${encodeURIComponent(fabric)}`}>
          Suggest a profile
        </Button>
        <FabricActions fabric={fabric} onStart={setRunning} />
      </PageHead>
      <NotCurrent fabric={fabric} />
      {running && <JobProgress key={running.job.id} id={running.job.id} what={running.what} />}
      <AddressTabs first="topology">
        <Tabs.List>
          <Tabs.Tab value="topology">Topology</Tabs.Tab>
          <Tabs.Tab value="devices">Devices</Tabs.Tab>
          <Tabs.Tab value="diagnosis">Host or fabric?</Tabs.Tab>
          <Tabs.Tab value="routing">Routing</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="twin">Twin</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="topology" pt="md">
          <div className="stack">
            <FabricCapacity fabric={fabric} />
            <TopologyTab fabric={fabric} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="devices" pt="md">
          <div className="stack">
            <Adopt fabric={fabric} />
            <DeviceList fabric={fabric} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="diagnosis" pt="md">
          <DiagnosisTab fabric={fabric} />
        </Tabs.Panel>
        <Tabs.Panel value="routing" pt="md">
          <RoutingTab fabric={fabric} />
        </Tabs.Panel>
        <Tabs.Panel value="versions" pt="md">
          <Versions fabric={fabric} />
        </Tabs.Panel>
        <Tabs.Panel value="twin" pt="md">
          <TwinPanel of={{ fabric }} />
        </Tabs.Panel>
      </AddressTabs>
    </div>
  );
}

function NoFabric({ name }: { name: string }) {
  return (
    <div className="stack">
      <PageHead title={name} />
      <Notice kind="bad" title="No such fabric">
        <p>
          There is no fabric “{name}”, or you may not see it. <Link to="/fabrics">Show the others</Link>
        </p>
      </Notice>
    </div>
  );
}

const LABELS = { verify: "Verify", rollback: "Roll back" } as const;

interface Running {
  job: Job;
  what: string;
}

function FabricActions({ fabric, onStart }: { fabric: string; onStart: (running: Running) => void }) {
  const may = useMay("operator");
  const action = useFabricAction(fabric);
  const state = useFabricState(fabric).data;
  const [asking, setAsking] = useState(false);
  const start = (which: keyof typeof LABELS) =>
    action.mutate(which, {
      onSuccess: (job) => {
        onStart({ job, what: `${LABELS[which]}: ${fabric}` });
        setAsking(false);
      },
    });
  if (!may) return null;
  return (
    <>
      <Button variant="default" loading={action.isPending && !asking} onClick={() => start("verify")}>
        {LABELS.verify}
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        {LABELS.rollback}
      </Button>
      <Button component={Link} to={`/promote?fabric=${encodeURIComponent(fabric)}`}>
        Apply or promote
      </Button>
      {!asking && <ErrorNotice error={action.error} />}
      <Confirm
        opened={asking}
        title="Roll back to the former base?"
        action={LABELS.rollback}
        danger
        wide
        busy={action.isPending}
        pointless={!state?.former_profile && !(state?.base_profile && state.as_found)}
        error={action.error}
        onConfirm={() => start("rollback")}
        onClose={() => setAsking(false)}
      >
        <p>{whatRollbackDoes(state)}</p>
        {asking && state?.former_profile && <RollbackPlan state={state} />}
      </Confirm>
    </>
  );
}

function whatRollbackDoes(state: FabricState | undefined): string {
  if (!state?.reachable) return "The former base is unknown, because the fabric is not responding.";
  const { base_profile, former_profile } = state;
  if (!base_profile) return "The fabric has no base profile yet, so there is nothing to roll back.";
  if (!former_profile && state.as_found) {
    return `There is no base before ${profileName(base_profile)}: each device gets what it held before ibcc set anything on it (revision 0, as found).`;
  }
  return former_profile
    ? `All devices get ${profileName(former_profile)}, the base before ${profileName(base_profile)}. The audit log says what was promoted, when, and by whom.`
    : `There is no base before ${profileName(base_profile)} to roll back to.`;
}
