// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Promotions, by which a profile becomes a fabric's base. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { useMay } from "@/api/queries/session";
import { get, path, post } from "@/api/request";
import type { Plan, Promotion, PromotionEvidence } from "@/api/types";

export function usePromotions(fabric: string) {
  return useAllPages<Promotion>(["promotions", "of", fabric], "/promotions", { fabric }, { refetchInterval: 20_000 });
}

/** Promotions that the viewer may approve. They come with events; a look every two minutes is for those that were missed. */
export function useWaitingApprovals(): Promotion[] {
  const enabled = useMay("operator");
  const query = { state: "pending" };
  const pending = useAllPages<Promotion>(["promotions", "pending"], "/promotions", query, { refetchInterval: 120_000, enabled });
  return (pending.items ?? []).filter(({ actions }) => actions.includes("approve"));
}

/** The plan as it is now. Whoever looks at it may be the first to find that the promotion is outdated. `id`: empty to wait. */
export function usePromotionPlan(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["promotion-plan", id],
    queryFn: async () => {
      const plan = await post<Plan>(path`/promotions/${id}/plan`, {});
      void client.invalidateQueries({ queryKey: ["promotions"] });
      return plan;
    },
    enabled: id !== "",
    staleTime: 0,
  });
}

export function usePromotionEvidence(id: string) {
  return useQuery({
    queryKey: ["promotion-evidence", id],
    queryFn: () => get<PromotionEvidence>(path`/promotions/${id}/evidence`),
  });
}

/** Asks again for one that is outdated. */
export function useRepeat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => post<Promotion>(path`/promotions/${id}/repeat`, undefined, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["promotions"] }),
  });
}

export function usePromote() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { fabric: string; profile: string; version: number; plan_digest: string; comment: string }) =>
      post<Promotion>("/promotions", wanted, { idempotent: true }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["promotions"] });
      void client.invalidateQueries({ queryKey: ["fabrics"] });
    },
  });
}

export function useDecide() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision, comment }: { id: string; decision: "approve" | "reject"; comment: string }) =>
      post<Promotion>(path`/promotions/${id}/${decision}`, { comment }, { idempotent: true }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["promotions"] });
      void client.invalidateQueries({ queryKey: ["fabrics"] });
    },
  });
}
