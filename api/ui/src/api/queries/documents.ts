// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Documents that people write as text: their schemas, and what is wrong with them. */

import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { keptWithin } from "@/api/queries/kept_within";
import { get, path, send } from "@/api/request";
import type { DocumentValidation, WorkloadValidation } from "@/api/types";

export function useSchema(kind: string) {
  return useQuery({
    queryKey: ["schema", kind],
    queryFn: ({ signal }) => get<Record<string, unknown>>(path`/schemas/${kind}`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Milliseconds without a key press before the service is asked. */
const SETTLED_MS = 300;

function useValidated<T>(where: string, body: Record<string, unknown> & { document: string }, enabled = true) {
  const [document] = useDebouncedValue(body.document, SETTLED_MS);
  const { document: _, ...about } = body;
  const query = useQuery<T>({
    ...keptWithin(["validated", where, about], document),
    queryFn: ({ signal }) => send<T>("POST", where, { body: { ...about, document }, signal }).then((answer) => answer.body),
    enabled: enabled && document.trim() !== "",
    refetchOnWindowFocus: false,
  });
  /** True while the answer is about an older text. */
  const isOld = document !== body.document || query.isPlaceholderData || query.isFetching;
  return { ...query, isOld };
}

export function useWorkloadValidation(body: { document: string; name?: string; fabric?: string | null }) {
  return useValidated<WorkloadValidation>("/workloads/validate", body);
}

export function useCampaignValidation(
  body: { document: string; fabric?: string | null; on_simulator?: boolean },
  enabled = true,
) {
  return useValidated<DocumentValidation>("/campaigns/validate", body, enabled);
}

export function useCheckValidation(body: { document: string; fabric: string; name?: string }, enabled = true) {
  return useValidated<DocumentValidation>("/checks/validate", body, enabled);
}

export function useInventoryValidation(fabric: string, document: string, enabled: boolean) {
  return useValidated<DocumentValidation>(path`/fabrics/${fabric}/inventory/validate`, { document }, enabled);
}
