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

const MOST_SHOWN = 20;

export function Findings({ findings, count }: { findings: CheckFinding[]; count: number }) {
  const shown = findings.slice(0, MOST_SHOWN);
  return (
    <ul className="plain-list">
      {shown.map((finding, i) => (
        <li key={i} className="panel stack tight headline">
          <p>
            <Tag state={finding.severity} /> {finding.alarm && finding.alarm !== "open" && <Tag state={finding.alarm} />}{" "}
            {finding.sentence}
          </p>
          <p className="small soft">
            <span className="mono">{finding.place}</span>: {finding.evidence}
          </p>
          {finding.next_step && <Command text={finding.next_step} />}
        </li>
      ))}
      {count > shown.length && <li className="soft">And {count - shown.length} more, which weigh no more; the API has all.</li>}
    </ul>
  );
}
