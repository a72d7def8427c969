// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Tabs whose chosen one stands in the address. */

import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { useAddress } from "@/components/address";

/** `first` is shown, and not named in the address, until the viewer chooses another. A choice removes what else the address holds. */
export function AddressTabs({ first, children }: { first: string; children: ReactNode }) {
  const { get, only } = useAddress();
  return (
    <Tabs value={get("tab") || first} keepMounted={false} onChange={(tab) => only({ tab: tab === first ? null : tab })}>
      {children}
    </Tabs>
  );
}
