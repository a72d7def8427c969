// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The session of the viewer. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Problem } from "@/api/problem";
import { get, send, setCsrfToken } from "@/api/request";
import type { Role, Session } from "@/api/types";

const KEY = ["session"] as const;

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

/** Null: nobody is logged in. */
export function useSession() {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => {
      try {
        const session = await get<Session>("/session");
        setCsrfToken(session.csrf_token);
        return session;
      } catch (error) {
        if (error instanceof Problem && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

/** True if the viewer has at least this role. The service decides; this only hides buttons that would fail. */
export function useMay(role: Role): boolean {
  const session = useSession().data;
  return session ? RANK[session.user.role] >= RANK[role] : false;
}

export function useSetupNeeded() {
  return useQuery({ queryKey: ["setup"], queryFn: () => get<{ needed: boolean }>("/setup") });
}

export function useLogin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (who: { username: string; password: string }) =>
      (await send<Session>("POST", "/session", { body: who })).body,
    onSuccess: (session) => {
      setCsrfToken(session.csrf_token);
      client.setQueryData(KEY, session);
    },
  });
}

/** Creates the first administrator and logs them in. */
export function useSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (first: { token: string; username: string; password: string }) =>
      (await send<Session>("POST", "/setup", { body: first })).body,
    onSuccess: (session) => {
      setCsrfToken(session.csrf_token);
      client.setQueryData(KEY, session);
      void client.invalidateQueries({ queryKey: ["setup"] });
    },
  });
}

export function useLogout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<void>("DELETE", "/session"),
    onSettled: () => {
      setCsrfToken(null);
      client.clear();
      client.setQueryData(KEY, null);
    },
  });
}

/** Sets a password by the token of a link; nobody is logged in by it. */
export function useTakeAccount() {
  return useMutation({
    mutationFn: (wanted: { token: string; password: string }) => send<void>("POST", "/welcome", { body: wanted }),
  });
}
