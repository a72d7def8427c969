// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** State of a page in its address, so that a link, a reload and the back button show the same. */

import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";

const SETTLED_MS = 250;

export interface Address {
  /** The value of the key; empty if the address has none. */
  get: (key: string) => string;
  /** Null or an empty text removes a key. `replace`: the back button skips the former address. */
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

/** A text in the address that the viewer types. `settled` follows once no key was pressed for a moment, and so does the address. */
export function useTyped({ get, set }: Address, key: string): { value: string; settled: string; type: (value: string) => void } {
  const [value, type] = useState(get(key));
  const [settled] = useDebouncedValue(value, SETTLED_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows what was typed, and nothing else
  useEffect(() => {
    if (settled !== get(key)) set({ [key]: settled }, { replace: true });
  }, [settled]);
  return { value, settled, type };
}
