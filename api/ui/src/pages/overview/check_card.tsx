// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check and its last verdict. */

import { Link } from "react-router";
import type { Check } from "@/api/types";
import { Ago } from "@/components/time";
import { nightText } from "@/format/night";
import { VerdictTag } from "@/pages/checks/verdict_tag";

export function CheckCard({ check }: { check: Check }) {
  const { last } = check;
  return (
    <article className="panel stack tight">
      <div className="row ends">
        <h3 className="breaking">
          <Link to={`/checks/${encodeURIComponent(check.name)}`}>{check.name}</Link>
        </h3>
        {last && <VerdictTag night={last} />}
      </div>
      <p className="small breaking">{last ? last.headline : "It has not run yet."}</p>
      <div className="row ends small soft">
        <span>
          on {check.fabric}
          {last && `, night of ${nightText(last.date)}`}
        </span>
        <span>
          {check.next_run ? (
            <>
              next <Ago at={check.next_run} />
            </>
          ) : (
            "not scheduled"
          )}
        </span>
      </div>
    </article>
  );
}
