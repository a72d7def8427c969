// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Live events, jobs, and the audit log. */

import { Tabs } from "@mantine/core";
import { useMay } from "@/api/queries/session";
import { AddressTabs } from "@/components/address_tabs";
import { PageHead } from "@/components/page_head";
import { AuditLog } from "@/pages/events/audit_log";
import { Jobs } from "@/pages/events/jobs";
import { LiveEvents } from "@/pages/events/live_events";

export default function Events() {
  const operator = useMay("operator");
  return (
    <div className="stack">
      <PageHead title="Events and audit" />
      <AddressTabs first="live">
        <Tabs.List>
          <Tabs.Tab value="live">Live</Tabs.Tab>
          <Tabs.Tab value="jobs">Jobs</Tabs.Tab>
          {operator && <Tabs.Tab value="audit">Audit log</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="live" pt="md">
          <LiveEvents />
        </Tabs.Panel>
        <Tabs.Panel value="jobs" pt="md">
          <Jobs />
        </Tabs.Panel>
        {operator && (
          <Tabs.Panel value="audit" pt="md">
            <AuditLog />
          </Tabs.Panel>
        )}
      </AddressTabs>
    </div>
  );
}
