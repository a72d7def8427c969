// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** "Fabric" without a name: the first one. */

import { Link, Navigate } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";

export default function FirstFabric() {
  const fabrics = useFabrics();
  return (
    <QueryView query={{ ...fabrics, data: fabrics.items }}>
      {([first]) =>
        first ? (
          <Navigate to={`/fabrics/${encodeURIComponent(first.name)}`} replace />
        ) : (
          <div className="stack">
            <PageHead title="Fabric" />
            <div className="empty">
              No fabric yet. An administrator <Link to="/fabrics/import">imports one</Link>, or adds one under{" "}
              <Link to="/settings?tab=fabrics">Settings</Link>.
            </div>
          </div>
        )
      }
    </QueryView>
  );
}
