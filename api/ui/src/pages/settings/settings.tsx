// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Users, tokens, fabrics, notifications, and the viewer's own account. */

import { Tabs } from "@mantine/core";
import { useMay } from "@/api/queries/session";
import { AddressTabs } from "@/components/address_tabs";
import { PageHead } from "@/components/page_head";
import { Account } from "@/pages/settings/account";
import { FabricSettings } from "@/pages/settings/fabric_settings";
import { Notifications } from "@/pages/settings/notifications";
import { Tokens } from "@/pages/settings/tokens";
import { Users } from "@/pages/settings/users";

export default function Settings() {
  const admin = useMay("admin");
  return (
    <div className="stack">
      <PageHead title="Settings" />
      <AddressTabs first="account">
        <Tabs.List>
          <Tabs.Tab value="account">Account</Tabs.Tab>
          <Tabs.Tab value="tokens">Tokens</Tabs.Tab>
          <Tabs.Tab value="fabrics">Fabrics</Tabs.Tab>
          {admin && <Tabs.Tab value="users">Users</Tabs.Tab>}
          {admin && <Tabs.Tab value="notifications">Notifications</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="account" pt="md">
          <Account />
        </Tabs.Panel>
        <Tabs.Panel value="tokens" pt="md">
          <Tokens />
        </Tabs.Panel>
        <Tabs.Panel value="fabrics" pt="md">
          <FabricSettings />
        </Tabs.Panel>
        {admin && (
          <Tabs.Panel value="users" pt="md">
            <Users />
          </Tabs.Panel>
        )}
        {admin && (
          <Tabs.Panel value="notifications" pt="md">
            <Notifications />
          </Tabs.Panel>
        )}
      </AddressTabs>
    </div>
  );
}
