// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Campaigns, their trials and their results. */

import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type {
  Campaign,
  CampaignAction,
  CampaignPlan,
  CampaignTemplate,
  ChallengeState,
  Front,
  Hypervolume,
  Importance,
  NewCampaign,
  Page,
  Trial,
  TrialDetail,
} from "@/api/types";

export function useCampaigns(query: { state?: string; fabric?: string; search?: string; archived?: boolean } = {}) {
  return useAllPages<Campaign>(["campaigns"], "/campaigns", query, { refetchInterval: 30_000 });
}

export function useTemplates() {
  return useQuery({
    queryKey: ["campaign-templates"],
    queryFn: async () => (await get<Page<CampaignTemplate>>("/campaign-templates")).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The same with what the fabric can have of them. The first answer takes seconds on a large fabric. */
export function useOffers(fabric: string) {
  return useQuery({
    queryKey: ["campaign-templates", fabric],
    queryFn: async ({ signal }) => (await get<Page<CampaignTemplate>>("/campaign-templates", { fabric }, signal)).items,
    enabled: fabric !== "",
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  });
}

export function useCampaign(id: string) {
  return useQuery({
    queryKey: ["campaigns", id],
    queryFn: () => get<Campaign>(path`/campaigns/${id}`),
    refetchInterval: 20_000,
    enabled: id !== "",
  });
}

export function useTrials(id: string) {
  return useAllPages<Trial>(["campaigns", id, "trials"], path`/campaigns/${id}/trials`);
}

export function useTrial(id: string, number: number) {
  return useQuery({
    queryKey: ["campaigns", id, "trials", number],
    queryFn: () => get<TrialDetail>(path`/campaigns/${id}/trials/${number}`),
  });
}

export function useFront(id: string) {
  return useQuery({ queryKey: ["campaigns", id, "front"], queryFn: () => get<Front>(path`/campaigns/${id}/front`) });
}

/** The front with each trial's parameters. */
export function useTrialPoints(id: string) {
  return useQuery({
    queryKey: ["campaigns", id, "front", "params"],
    queryFn: () => get<Front>(path`/campaigns/${id}/front`, { params: true }),
  });
}

/** The campaign's name for a crumb: undefined while it is asked for, and a plain word if it cannot be loaded. */
export function useCampaignName(id: string): string | undefined {
  const { data, error } = useCampaign(id);
  return data?.name ?? (error ? "Campaign" : undefined);
}

export function useTrialDetails(id: string, numbers: number[]) {
  return useQueries({
    queries: numbers.map((number) => ({
      queryKey: ["campaigns", id, "trials", number],
      queryFn: () => get<TrialDetail>(path`/campaigns/${id}/trials/${number}`),
    })),
  });
}

export function useHypervolume(id: string) {
  return useQuery({
    queryKey: ["campaigns", id, "hypervolume"],
    queryFn: () => get<Hypervolume>(path`/campaigns/${id}/hypervolume`),
  });
}

export function useImportance(id: string) {
  return useQuery({
    queryKey: ["campaigns", id, "importance"],
    queryFn: () => get<Importance>(path`/campaigns/${id}/importance`),
  });
}

/** Where the workloads would run, and at what cost. Nothing is stored. */
export function useCampaignPlan(campaign: NewCampaign, wanted = true) {
  return useQuery({
    queryKey: ["campaign-plan", campaign],
    queryFn: ({ signal }) =>
      send<CampaignPlan>("POST", "/campaigns/plan", { body: campaign, signal }).then((answer) => answer.body),
    enabled: wanted && campaign.fabric !== "",
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  });
}

/** The plan of a campaign as it is stored. It changes with a draft only. */
export function useStoredPlan({ id, state, etag }: Campaign, wanted = true) {
  return useQuery({
    queryKey: ["campaign-plan", id, state === "draft" ? etag : ""],
    queryFn: () => get<CampaignPlan>(path`/campaigns/${id}/plan`),
    enabled: wanted,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Creates a campaign, or puts it in the place of a draft. */
export function useSaveCampaign(draft?: Campaign) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (campaign: NewCampaign) =>
      draft
        ? send<Campaign>("PUT", path`/campaigns/${draft.id}`, { body: campaign, ifMatch: draft.etag }).then(({ body }) => body)
        : post<Campaign>("/campaigns", campaign),
    onSuccess: () => client.invalidateQueries({ queryKey: ["campaigns"] }),
  });
}

/** Actions that are a POST to a route of that name; `finish` is `stop` with a body. */
const CHALLENGE_EVERY_MS = 3_000;

/** Returns what the last challenge of a finished campaign found, and whether one runs now. */
export function useChallenge(id: string) {
  return useQuery({
    queryKey: ["campaigns", id, "challenge"],
    queryFn: () => get<ChallengeState>(path`/campaigns/${id}/challenge`),
    refetchInterval: ({ state }) => (state.data?.job ? CHALLENGE_EVERY_MS : false),
  });
}

export type CampaignPost = Exclude<CampaignAction, "finish" | "delete" | "change"> | "challenge";

export function useCampaignAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ action, body }: { action: CampaignPost; body?: unknown }) =>
      post<Campaign>(path`/campaigns/${id}/${action}`, body ?? {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["campaigns"] }),
  });
}

/** Archives, takes out of the archive, or deletes several campaigns one after the other; returns the names of those refused. */
export function useChangeCampaigns() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ campaigns, action }: { campaigns: Campaign[]; action: "archive" | "unarchive" | "delete" }) => {
      const refused: string[] = [];
      for (const { id, name, etag } of campaigns) {
        try {
          if (action === "delete") await send<void>("DELETE", path`/campaigns/${id}`, { ifMatch: etag });
          else await post<Campaign>(path`/campaigns/${id}/archive`, { archived: action === "archive" });
        } catch (error) {
          refused.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      return refused;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["campaigns", "pages"] }),
  });
}

export function useDeleteCampaign({ id, etag }: Campaign) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<void>("DELETE", path`/campaigns/${id}`, { ifMatch: etag }),
    // Only the lists: the campaign's own page would ask for what is gone.
    onSettled: () => client.invalidateQueries({ queryKey: ["campaigns", "pages"] }),
  });
}
