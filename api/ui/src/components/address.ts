// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a page shows stands in its address, so that a link, a reload and the way back show it again. */

import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";

const SETTLED_MS = 250;

export interface Address {
  /** Empty without one. */
  get: (key: string) => string;
  /** Nothing, or an empty text, takes a key away. `replace`: the way back skips what was there before. */
  set: (pairs: Record<string, string | null>, options?: { replace?: boolean }) => void;
}

export function useAddress(): Address {
  const [search, setSearch] = useSearchParams();
  return {
    get: (key) => search.get(key) ?? "",
    set: (pairs, options) =>
      setSearch((old) => {
        const next = new URLSearchParams(old);
        for (const [key, value] of Object.entries(pairs)) value ? next.set(key, value) : next.delete(key);
        return next;
      }, options),
  };
}

/** A text of the address that is typed: `settled` once no key was hit for a moment, and then in the address, too. */
export function useTyped({ get, set }: Address, key: string): { value: string; settled: string; type: (value: string) => void } {
  const [value, type] = useState(get(key));
  const [settled] = useDebouncedValue(value, SETTLED_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows what was typed, and nothing else
  useEffect(() => {
    if (settled !== get(key)) set({ [key]: settled }, { replace: true });
  }, [settled]);
  return { value, settled, type };
}
