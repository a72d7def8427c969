// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Users and tokens. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { path, post, send, sessionEnded } from "@/api/request";
import type { NewToken, Role, Token, User, UserLink } from "@/api/types";

export function useUsers() {
  return useAllPages<User>(["users"], "/users");
}

export function useAddUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (user: { username: string; password: string; role: Role }) => post<User>("/users", user),
    onSuccess: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
}

/** Fetches the user again first, since the change must name the present ETag. */
export function useChangeUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, ...change }: { id: string; role?: Role; disabled?: boolean }) => {
      const { etag } = await send<User>("GET", path`/users/${id}`);
      return send<User>("PATCH", path`/users/${id}`, { body: change, ifMatch: etag ?? undefined });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
}

/** A link by which the owner takes an account, or, after one was used that confirms nothing, the confirmation. */
export function useSettleUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, lacks }: User) => {
      const { etag } = await send<User>("GET", path`/users/${id}`);
      const ifMatch = etag ?? undefined;
      if (lacks === "confirmation") await send<User>("POST", path`/users/${id}/confirm`, { ifMatch });
      else return (await send<UserLink>("POST", path`/users/${id}/link`, { ifMatch })).body;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
}

export function useRemoveUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const { etag } = await send<User>("GET", path`/users/${id}`);
      await send<void>("DELETE", path`/users/${id}`, { ifMatch: etag ?? undefined });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (change: { current: string; new: string; keep_tokens: boolean }) =>
      send<void>("POST", "/users/me/password", { body: change }),
  });
}

/** On all machines, this one included. */
export function useEndSessions() {
  return useMutation({
    mutationFn: () => send<void>("DELETE", "/users/me/sessions"),
    onSuccess: sessionEnded,
  });
}

export function useTokens() {
  return useAllPages<Token>(["tokens"], "/tokens");
}

export function useAddToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: { name: string; role: Role; expires_at: string; fabrics?: string[] }) => post<NewToken>("/tokens", token),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send<void>("DELETE", path`/tokens/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}
