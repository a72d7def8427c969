// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Profiles and their versions. */

import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { keptWithin } from "@/api/queries/kept_within";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type { ParameterHelp, Profile, ProfileDiff, TrialRunOutcome, Validation } from "@/api/types";

export function useProfiles() {
  return useAllPages<Profile>(["profiles"], "/profiles");
}

/** A profile with its ETag, which a change must name. */
export function useProfile(name: string) {
  return useQuery({
    queryKey: ["profiles", name],
    queryFn: async () => {
      const { body, etag } = await send<Profile>("GET", path`/profiles/${name}`);
      return { ...body, etag: etag ?? body.etag };
    },
    enabled: name !== "",
  });
}

export function useProfileVersions(name: string) {
  return useAllPages<Profile>(["profiles", name, "versions"], path`/profiles/${name}/versions`, {}, { enabled: name !== "" });
}

export function useProfileVersion(name: string, version: number | null) {
  return useQuery({
    queryKey: ["profiles", name, "versions", version],
    queryFn: () => get<Profile>(path`/profiles/${name}/versions/${version ?? 0}`),
    enabled: name !== "" && version !== null,
  });
}

/** Trial runs of all versions, the newest first. */
export function useTrialRuns(profile: string) {
  return useAllPages<TrialRunOutcome>(["trial-runs", profile], "/trial-runs", { profile }, { enabled: profile !== "" });
}

export function useProfileDiff(name: string, query: { from?: number; to?: number; other?: string }) {
  return useQuery({
    queryKey: ["profiles", name, "diff", query],
    queryFn: () => get<ProfileDiff>(path`/profiles/${name}/diff`, query),
    enabled: name !== "",
  });
}

export function useParameters() {
  return useQuery({
    queryKey: ["parameters"],
    queryFn: () => get<ParameterHelp[]>("/profiles/parameters"),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const validationOf = (document: string) => ({
  queryFn: ({ signal }: { signal?: AbortSignal } = {}) =>
    send<Validation>("POST", "/profiles/validate", { body: { document }, signal }).then((answer) => answer.body),
  enabled: document !== "",
  staleTime: Number.POSITIVE_INFINITY,
});

export function useValidation(document: string) {
  return useQuery({ queryKey: ["validation", document], ...validationOf(document) });
}

/** The validation of a text that is being edited; that of the former text stays until it comes. `edited`: the profile's name. */
export function useEditedValidation(edited: string, document: string) {
  return useQuery({ ...keptWithin(["validation-of", edited], document), ...validationOf(document) });
}

/** The delays of several profiles' congestion control tables. */
export function useProfileCurves(profiles: { name: string; document: string }[]) {
  return useQueries({
    queries: profiles.map(({ document }) => ({
      queryKey: ["validation", document],
      ...validationOf(document),
    })),
    combine: (answers) => ({
      error: answers.find(({ error }) => error)?.error ?? null,
      data: answers.flatMap(({ data }, i) => (data?.curve ? [{ name: profiles[i]?.name ?? "", points: data.curve }] : [])),
    }),
  });
}

export function useCreateProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (profile: { name: string; document: string; comment: string; belongs_to?: string | null }) =>
      post<Profile>("/profiles", profile),
    onSuccess: () => client.invalidateQueries({ queryKey: ["profiles"] }),
  });
}

export function useSaveProfile(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: { document: string; comment: string; etag: string }) =>
      (
        await send<Profile>("PUT", path`/profiles/${name}`, {
          body: { document: change.document, comment: change.comment },
          ifMatch: change.etag,
        })
      ).body,
    onSettled: () => client.invalidateQueries({ queryKey: ["profiles"] }),
  });
}

export function useArchiveProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (profile: { name: string; etag: string }) =>
      send<void>("DELETE", path`/profiles/${profile.name}`, { ifMatch: profile.etag }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["profiles"] }),
  });
}
