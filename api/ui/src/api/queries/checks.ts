// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Nightly checks: their nights, trends, baselines and answers. All under the key `checks`, which events of that topic make stale. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type {
  Alarms,
  Baseline,
  Changes,
  Check,
  CheckAnswer,
  CheckTemplate,
  Job,
  MetricTrend,
  NewDecision,
  Night,
  NightDetail,
  Page,
  Policy,
  Schedule,
} from "@/api/types";

export function useChecks() {
  return useAllPages<Check>(["checks"], "/checks", {}, { refetchInterval: 60_000 });
}

export function useCheckTemplates() {
  return useQuery({
    queryKey: ["check-templates"],
    queryFn: async () => (await get<Page<CheckTemplate>>("/check-templates")).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useCheck(name: string) {
  return useQuery({
    queryKey: ["checks", name],
    queryFn: () => get<Check>(path`/checks/${name}`),
    refetchInterval: 60_000,
  });
}

/** The newest first. */
export function useNights(name: string) {
  return useAllPages<Night>(["checks", name, "nights"], path`/checks/${name}/nights`);
}

export function useNight(name: string, date: string) {
  return useQuery({
    queryKey: ["checks", name, "nights", date],
    queryFn: () => get<NightDetail>(path`/checks/${name}/nights/${date}`),
  });
}

/** Trends by night take the service a second or two. */
export function useCheckMetrics(name: string) {
  return useQuery({
    queryKey: ["checks", name, "metrics"],
    queryFn: async () => (await get<{ items: MetricTrend[] }>(path`/checks/${name}/metrics`)).items,
    staleTime: 60_000,
  });
}

export function useChanges(name: string) {
  return useQuery({
    queryKey: ["checks", name, "changes"],
    queryFn: () => get<Changes>(path`/checks/${name}/changes`),
  });
}

/** `there`: a check without one is not asked. */
export function useBaseline(name: string, there: boolean) {
  return useQuery({
    queryKey: ["checks", name, "baseline"],
    queryFn: () => get<Baseline>(path`/checks/${name}/baseline`),
    enabled: there,
  });
}

export function useAnswers(name: string) {
  return useAllPages<CheckAnswer>(["checks", name, "answers"], path`/checks/${name}/answers`);
}

export interface NewCheck {
  name: string;
  fabric: string;
  document: string;
  schedule: Schedule | null;
}

export function useCreateCheck() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (check: NewCheck) => post<Check>("/checks", check),
    onSuccess: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

/** The part of a check's address, and the body. The answer is the check as it is then. */
function useChange<T>(name: string, part: "" | "/schedule" | "/policy") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, etag }: { body: T; etag: string }) =>
      send<Check>("PUT", `${path`/checks/${name}`}${part}`, { body, ifMatch: etag }),
    onSuccess: ({ body }) => client.setQueryData(["checks", name], body),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export const useChangeCheck = (name: string) => useChange<{ document: string; keep_nights: number }>(name, "");
export const useChangeSchedule = (name: string) => useChange<Schedule>(name, "/schedule");
export const useChangePolicy = (name: string) => useChange<Policy>(name, "/policy");

export function useRunCheck(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: "run" | "cancel") => post<Job>(path`/checks/${name}/${action}`, {}, { idempotent: action === "run" }),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export function useDeleteCheck({ name, etag }: Pick<Check, "name" | "etag">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<void>("DELETE", path`/checks/${name}`, { ifMatch: etag }),
    // Only the lists: the check's own page would ask for what is gone.
    onSettled: () => client.invalidateQueries({ queryKey: ["checks", "pages"] }),
  });
}

export function useDeleteNight(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (date: string) => send<void>("DELETE", path`/checks/${name}/nights/${date}`),
    onSuccess: (_, date) => client.removeQueries({ queryKey: ["checks", name, "nights", date] }),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export interface Accepted {
  last?: number;
  first?: string;
  until?: string;
}

export function useAcceptNights(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (nights: Accepted) => post<Baseline>(path`/checks/${name}/baseline`, nights),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export function useUndoAccept(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<Baseline>("DELETE", path`/checks/${name}/baseline`),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export function useUndoAnswer(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => post<CheckAnswer>(path`/checks/${name}/answers/${id}/undo`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export function useAlarms(name: string) {
  return useQuery({ queryKey: ["checks", name, "alarms"], queryFn: () => get<Alarms>(path`/checks/${name}/alarms`) });
}

function useDecisions<T>(name: string, call: (body: T) => Promise<Alarms>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: (alarms) => client.setQueryData(["checks", name, "alarms"], alarms),
    onSettled: () => client.invalidateQueries({ queryKey: ["checks"] }),
  });
}

export const useDecide = (name: string) =>
  useDecisions<NewDecision>(name, (body) => post<Alarms>(path`/checks/${name}/decisions`, body));
export const useWithdraw = (name: string) =>
  useDecisions<number>(
    name,
    async (number) => (await send<Alarms>("DELETE", path`/checks/${name}/decisions/${String(number)}`)).body,
  );
export const useAdopt = (name: string) =>
  useDecisions<{ because: string }>(name, (body) => post<Alarms>(path`/checks/${name}/expected`, body));
