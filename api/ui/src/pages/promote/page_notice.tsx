// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A promotion that waits for approval or is outdated, and what it would do. */

import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Promotion } from "@/api/types";
import { Notice } from "@/components/notice";
import { Ago } from "@/components/time";
import { profileName } from "@/format/profile_name";
import { totalsText } from "@/pages/promote/plan_words";

export function PageNotice({ promotion, children }: { promotion: Promotion; children: ReactNode }) {
  const { fabric, profile, version, created_by, created_at, comment } = promotion;
  const { totals, current } = promotion.plan;
  const outdated = promotion.state === "outdated";
  const compare = `/promote?fabric=${encodeURIComponent(fabric)}&profile=${encodeURIComponent(profile)}&version=${version}`;
  return (
    <Notice
      kind={outdated ? "info" : "warn"}
      title={`${profile}, version ${version}, ${outdated ? "is outdated" : "waits for approval"} on ${fabric}`}
    >
      <p>
        {created_by}, <Ago at={created_at} />
        {totals && `: ${totalsText(totals)}`}
        {totals && current && `, from the base ${profileName(current)}`}. {comment} <Link to={compare}>Compare</Link>
      </p>
      {children}
    </Notice>
  );
}
