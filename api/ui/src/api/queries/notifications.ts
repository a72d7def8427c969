// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Addresses of the notifier and the messages to them. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { path, post } from "@/api/request";
import type { Delivery, NotificationAddress } from "@/api/types";

const REFETCH_MS = 5000;

export function useNotificationAddresses() {
  return useAllPages<NotificationAddress>(
    ["notifications", "addresses"],
    "/notifications/addresses",
    {},
    { refetchInterval: REFETCH_MS },
  );
}

export function useDeliveries() {
  return useAllPages<Delivery>(["notifications", "deliveries"], "/notifications/deliveries", {}, { refetchInterval: REFETCH_MS });
}

export function useTestAddress() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => post<Delivery>(path`/notifications/addresses/${name}/test`, {}),
    onSettled: () => client.invalidateQueries({ queryKey: ["notifications"] }),
  });
}
