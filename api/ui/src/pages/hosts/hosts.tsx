// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The hosts of a fabric: whether they are ready for measurements, what to repair, and the inventory. */

import { Button, Select, Tabs } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { useCheckHosts, useHostsCheck } from "@/api/queries/hosts";
import { useMay } from "@/api/queries/session";
import type { HostsCheck } from "@/api/types";
import { useAddress } from "@/components/address";
import { Facts } from "@/components/facts";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { Findings } from "@/pages/hosts/findings";
import { HostTable } from "@/pages/hosts/host_table";
import { InventoryPanel } from "@/pages/hosts/inventory_panel";
import { PathsPanel } from "@/pages/hosts/paths_panel";
import { countsText } from "@/pages/hosts/verdict";

export default function Hosts() {
  const { get, only } = useAddress();
  const fabrics = useFabrics();
  const names = (fabrics.items ?? []).map(({ name }) => name);
  const fabric = (get("fabric") || names[0]) ?? "";
  const tab = get("tab") || "hosts";
  const operator = useMay("operator");
  const check = useHostsCheck(fabric);
  const go = (to: { fabric?: string; tab?: string }) => {
    const wanted = { fabric, tab, ...to };
    only({ fabric: wanted.fabric, tab: wanted.tab === "hosts" ? null : wanted.tab });
  };
  return (
    <div className="stack">
      <PageHead title="Hosts">
        {names.length > 1 && (
          <Select aria-label="Fabric" data={names} value={fabric} onChange={(name) => name && go({ fabric: name })} />
        )}
        {operator && check.data?.inventory && <CheckButton key={fabric} fabric={fabric} check={check.data} />}
      </PageHead>
      {fabric === "" ? (
        <QueryView query={{ ...fabrics, data: fabrics.items }}>
          {() => (
            <div className="empty">
              No fabric yet. An administrator adds one under <Link to="/settings?tab=fabrics">Settings</Link>.
            </div>
          )}
        </QueryView>
      ) : (
        <Tabs
          value={operator || tab === "paths" ? tab : "hosts"}
          onChange={(value) => go({ tab: value ?? "hosts" })}
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="hosts">Hosts</Tabs.Tab>
            <Tabs.Tab value="paths">Inside</Tabs.Tab>
            {operator && <Tabs.Tab value="inventory">Inventory</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="hosts" pt="md">
            <QueryView query={check} rows={8}>
              {(known) => <Checked fabric={fabric} check={known} onBegin={() => go({ tab: "inventory" })} />}
            </QueryView>
          </Tabs.Panel>
          <Tabs.Panel value="paths" pt="md">
            <PathsPanel key={fabric} fabric={fabric} />
          </Tabs.Panel>
          <Tabs.Panel value="inventory" pt="md">
            <QueryView query={check} rows={8}>
              {(known) => <InventoryPanel key={fabric} fabric={fabric} there={known.inventory !== null} />}
            </QueryView>
          </Tabs.Panel>
        </Tabs>
      )}
    </div>
  );
}

/** Also shows a check that somebody else has started. */
function CheckButton({ fabric, check }: { fabric: string; check: HostsCheck }) {
  const start = useCheckHosts(fabric);
  const [latest, setLatest] = useState<string | null>(null);
  const job = check.running_job ?? latest;
  return (
    <>
      <Button
        loading={start.isPending}
        disabled={check.running_job !== null}
        onClick={() => start.mutate(undefined, { onSuccess: ({ id }) => setLatest(id) })}
      >
        Check the hosts
      </Button>
      {job && <JobProgress key={job} id={job} what={`Check of the hosts of ${fabric}`} onEnd={({ id }) => setLatest(id)} />}
      <ErrorNotice error={start.error} />
    </>
  );
}

function Checked({ fabric, check, onBegin }: { fabric: string; check: HostsCheck; onBegin: () => void }) {
  const admin = useMay("admin");
  if (check.inventory === null) {
    return (
      <div className="empty">
        <p>
          {fabric} has no inventory yet. An inventory says which hosts are on the fabric and how ibcc's agents are started there.
          With it, hosts can be checked, and campaigns can measure on them.
        </p>
        {admin ? (
          <Button mt="sm" onClick={onBegin}>
            Write the inventory
          </Button>
        ) : (
          <p>An administrator can write it here.</p>
        )}
      </div>
    );
  }
  return (
    <div className="stack">
      <section className="panel stack" aria-label="The last check">
        <Facts
          facts={[
            ["Inventory", check.inventory],
            ["Hosts", countsText(check.hosts)],
            [
              "Last check",
              check.checked_at ? (
                <>
                  <At at={check.checked_at} />, by {check.checked_by}
                </>
              ) : (
                "never"
              ),
            ],
          ]}
        />
        {check.is_current === false && (
          <Notice kind="warn">The inventory was changed after this check, so results may belong to other hosts.</Notice>
        )}
      </section>
      {check.checked_at && <Findings findings={check.findings} />}
      <HostTable fabric={fabric} />
    </div>
  );
}
