// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Names that documents may have at some places, from the service. */

import { useMemo } from "react";
import { useAllPages } from "@/api/queries/pages";
import type { Names } from "@/components/yaml_editor/completion";

type Source = "workloads" | "profiles" | "fabrics";

/** `places`: by the place in the document, what is named there. The same object at each call. */
export function useNames(places: Record<string, Source>): Names {
  const wanted = JSON.stringify(places);
  const workloads = useListed("workloads", places);
  const profiles = useListed("profiles", places);
  const fabrics = useListed("fabrics", places);
  return useMemo(() => {
    const lists: Record<Source, string[]> = {
      workloads: workloads ?? [],
      profiles: profiles ?? [],
      fabrics: fabrics ?? [],
    };
    const entries = Object.entries(JSON.parse(wanted) as Record<string, Source>);
    return Object.fromEntries(entries.map(([place, source]) => [place, lists[source]]));
  }, [workloads, profiles, fabrics, wanted]);
}

/** Asks the service only if a place wants these names. */
function useListed(source: Source, places: Record<string, Source>): string[] | undefined {
  const enabled = Object.values(places).includes(source);
  const { items } = useAllPages<{ name: string }>([source], `/${source}`, {}, { enabled });
  return useMemo(() => items?.map(({ name }) => name), [items]);
}
