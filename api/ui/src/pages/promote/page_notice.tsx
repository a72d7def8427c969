// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A promotion that waits for approval, and what it would do. */

import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Promotion } from "@/api/types";
import { Notice } from "@/components/notice";
import { Ago } from "@/components/time";
import { count } from "@/format/quantity";

export function PageNotice({ promotion, children }: { promotion: Promotion; children: ReactNode }) {
  const { fabric, profile, version, created_by, created_at, comment } = promotion;
  const totals = promotion.plan?.totals;
  const compare = `/promote?fabric=${encodeURIComponent(fabric)}&profile=${encodeURIComponent(profile)}&version=${version}`;
  return (
    <Notice kind="warn" title={`${profile}, version ${version}, waits for approval on ${fabric}`}>
      <p>
        {created_by}, <Ago at={created_at} />
        {totals && `: ${count(totals.mads, "MAD")} to ${count(totals.devices, "device")}`}. {comment}{" "}
        <Link to={compare}>Compare</Link>
      </p>
      {children}
    </Notice>
  );
}
