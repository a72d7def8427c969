// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Differences between two versions of a fabric, kind by kind: how many, and the first of them. */

import type { Difference } from "@/api/types";
import { number } from "@/format/quantity";

const TITLES: Record<string, string> = {
  switches_added: "New switches",
  switches_removed: "Missing switches",
  hosts_added: "New hosts",
  hosts_removed: "Missing hosts",
  replaced: "Replaced",
  renamed: "Other names",
  links_added: "New links",
  links_removed: "Missing links",
  rates_changed: "Other rates",
  settings_changed: "Other settings",
};

const title = (kind: string) => TITLES[kind] ?? kind.replaceAll("_", " ");

export function Differences({ differences }: { differences: Difference[] }) {
  if (differences.length === 0) return <p>None: nodes, links, rates and routes are the same.</p>;
  return (
    <div className="stack tight">
      {differences.map(({ kind, count, named }) => (
        <details key={kind} className="panel" open={count <= 5}>
          <summary>
            {title(kind)}: {number(count)}
          </summary>
          <ul className="import-lists">
            {named.map((name) => (
              <li key={name}>{name}</li>
            ))}
            {count > named.length && <li className="soft">and {number(count - named.length)} more</li>}
          </ul>
        </details>
      ))}
    </div>
  );
}

/** "12 new links, 1 missing host". */
export function inShort(differences: Difference[] | null): string {
  if (differences === null) return "–";
  if (differences.length === 0) return "none";
  return differences.map(({ kind, count }) => `${title(kind)}: ${number(count)}`).join(", ");
}
