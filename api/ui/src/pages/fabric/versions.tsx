// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The versions of a fabric's wiring. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useVersions } from "@/api/queries/imports";
import { useMay } from "@/api/queries/session";
import { DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { inShort } from "@/pages/import/differences";

export function Versions({ fabric }: { fabric: string }) {
  const admin = useMay("admin");
  const versions = useVersions(fabric);
  return (
    <div className="stack">
      {admin && (
        <div className="row">
          <Button variant="default" component={Link} to={`/fabrics/import?fabric=${encodeURIComponent(fabric)}`}>
            Import it again
          </Button>
        </div>
      )}
      <QueryView query={{ ...versions, data: versions.items }}>
        {(items) => (
          <DataTable
            caption="Versions"
            columns={[
              {
                key: "version",
                title: "Version",
                head: true,
                value: (row) => row.version,
                show: (row) => (
                  <span className="row">
                    <Link to={`/fabrics/${encodeURIComponent(fabric)}/versions/${row.version}`}>{row.version}</Link>
                    {row.current && <Tag state="present" tone="good" />}
                  </span>
                ),
              },
              {
                key: "origin",
                title: "From",
                value: (row) => row.origin,
                show: (row) => <span className="breaking">{row.origin}</span>,
              },
              { key: "differences", title: "Differences from the one before", value: (row) => inShort(row.differences) },
              { key: "created_at", title: "Since", value: (row) => row.created_at, show: (row) => <At at={row.created_at} /> },
              { key: "created_by", title: "By", value: (row) => row.created_by },
            ]}
            rows={items}
            rowKey={(row) => String(row.version)}
            file={`${fabric}-versions`}
          />
        )}
      </QueryView>
    </div>
  );
}
