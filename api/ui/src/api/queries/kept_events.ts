// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Events that the service keeps. */

import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/request";
import type { KeptEvent, Page, Severity } from "@/api/types";

const KEPT = 100;

/** The last hundred of a severity or a graver one, newest first. */
export function useKeptEvents(severity: Severity | "", fabric: string) {
  return useQuery({
    queryKey: ["kept-events", severity, fabric],
    queryFn: async () => {
      const query = { severity: severity || "info", fabric: fabric || undefined, limit: KEPT };
      return (await get<Page<KeptEvent>>("/events/kept", query)).items;
    },
    staleTime: 0,
  });
}
