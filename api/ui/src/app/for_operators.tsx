// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Forms that viewers cannot send: whoever follows a link to one is told so before anything is typed. */

import { Outlet } from "react-router";
import { useMay, useSession } from "@/api/queries/session";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";

export function ForOperators() {
  const may = useMay("operator");
  const user = useSession().data?.user;
  if (may || !user) return <Outlet />;
  return (
    <div className="stack">
      <PageHead title="For operators" />
      <Notice>
        This form needs the role operator; {user.username} has {user.role}. An administrator can change that, under Settings.
      </Notice>
    </div>
  );
}
