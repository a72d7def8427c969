// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** State of a page in its address, so that a link, a reload and the back button show the same. */

import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";

const SETTLED_MS = 250;

export interface Address {
  /** The value of the key; empty if the address has none. */
  get: (key: string) => string;
  /** All values of a key that may stand several times. */
  all: (key: string) => string[];
  /** Null or an empty text removes a key. `replace`: the back button skips the former address. */
  set: (pairs: Pairs, options?: { replace?: boolean }) => void;
  /** As `set`, but removes all other keys. */
  only: (pairs: Pairs) => void;
}

type Pairs = Record<string, string | string[] | null>;

function written(pairs: Pairs, old?: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(old);
  for (const [key, values] of Object.entries(pairs)) {
    next.delete(key);
    for (const value of [values ?? []].flat()) if (value) next.append(key, value);
  }
  return next;
}

export function useAddress(): Address {
  const [search, setSearch] = useSearchParams();
  return {
    get: (key) => search.get(key) ?? "",
    all: (key) => search.getAll(key),
    // The router draws a new address when it has time: on a busy machine, a checkbox goes back to its old state until then.
    set: (pairs, options) => setSearch((old) => written(pairs, old), { ...options, flushSync: true }),
    only: (pairs) => setSearch(written(pairs), { flushSync: true }),
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
