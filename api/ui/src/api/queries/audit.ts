// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The audit log: who did what. */

import { useAllPages } from "@/api/queries/pages";
import type { AuditEntry } from "@/api/types";

export function useAudit(filter: { fabric: string; actor: string; action: string; since: string }) {
  return useAllPages<AuditEntry>(["audit"], "/audit", filter, { refetchInterval: 20_000 });
}
