// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a night has shown: likely causes, findings and remarks. */

import type { CheckFinding, LikelyCause } from "@/api/types";
import { Command } from "@/components/command";
import { Tag } from "@/components/tag";

export function Causes({ causes }: { causes: LikelyCause[] }) {
  return (
    <ol className="causes">
      {causes.map((cause) => (
        <li key={`${cause.name} ${cause.place}`}>
          <div className="stack tight">
            <p>
              <strong>{cause.sentence}</strong>
            </p>
            <p className="small soft">
              <span className="mono">{cause.name}</span> at <span className="mono">{cause.place}</span>
            </p>
            {cause.evidence.length > 0 && (
              <ul className="small">
                {cause.evidence.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            )}
            {cause.next_step && <Command text={cause.next_step} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function Findings({ findings }: { findings: CheckFinding[] }) {
  return (
    <ul className="plain-list">
      {findings.map((finding, i) => (
        <li key={i} className="panel stack tight headline">
          <p>
            <Tag state={finding.severity} /> {finding.sentence}
          </p>
          <p className="small soft">
            <span className="mono">{finding.place}</span>: {finding.evidence}
          </p>
          {finding.next_step && <Command text={finding.next_step} />}
        </li>
      ))}
    </ul>
  );
}
