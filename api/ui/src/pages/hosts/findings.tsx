// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Findings, each once for all hosts that have it, and what to do about them. */

import "@/pages/hosts/hosts.css";
import type { GroupedFinding } from "@/api/types";
import { Notice } from "@/components/notice";
import { Tag } from "@/components/tag";
import { count } from "@/format/quantity";

export function Findings({ findings }: { findings: GroupedFinding[] }) {
  return (
    <section className="stack tight" aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {findings.length === 0 ? (
        <Notice kind="good">No fault was found on the checked hosts.</Notice>
      ) : (
        <ul className="plain-list">
          {findings.map((one) => (
            <li key={`${one.what} ${one.nodes} ${one.sentence}`} className="panel finding">
              <Tag
                state={one.what}
                text={one.is_fault ? one.what : `${one.what} (no fault)`}
                tone={one.is_fault ? "bad" : "warn"}
              />
              <div className="stack tight">
                <p>
                  <span className="mono">{one.nodes}</span>
                  <span className="soft"> ({count(one.count, "host")})</span>
                </p>
                <p>{one.sentence}.</p>
                <p>
                  <strong>To do:</strong> {one.remedy}.
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
