// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Imports that nobody has kept or discarded yet. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useDiscardImport, useImports } from "@/api/queries/imports";
import { DataTable } from "@/components/data_table";
import { ErrorNotice } from "@/components/notice";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";

export function Drafts() {
  const imports = useImports(true);
  const discard = useDiscardImport();
  const drafts = (imports.items ?? []).filter(({ state }) => state !== "kept");
  if (drafts.length === 0) return <ErrorNotice error={imports.error} />;
  return (
    <section className="stack tight" aria-labelledby="drafts">
      <h2 id="drafts">Not kept yet</h2>
      <ErrorNotice error={discard.error} />
      <DataTable
        caption="Imports that are not kept yet"
        columns={[
          {
            key: "source_name",
            title: "From",
            head: true,
            value: (row) => row.source_name,
            show: (row) => (
              <Link className="breaking" to={`/fabrics/import/${row.id}`}>
                {row.source === "opensm" ? `OpenSM of ${row.source_name}` : row.source_name}
              </Link>
            ),
          },
          { key: "fabric", title: "Version of", value: (row) => row.fabric ?? "new fabric" },
          { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag state={row.state} /> },
          { key: "created_by", title: "By", value: (row) => row.created_by },
          {
            key: "expires_at",
            title: "Deleted",
            value: (row) => row.expires_at,
            show: (row) => <At at={row.expires_at} />,
          },
          {
            key: "actions",
            title: "",
            value: () => null,
            show: (row) =>
              row.actions.includes("discard") && (
                <Button size="compact-xs" variant="light" color="red" onClick={() => discard.mutate(row.id)}>
                  Discard
                </Button>
              ),
          },
        ]}
        rows={drafts}
        rowKey={(row) => row.id}
      />
    </section>
  );
}
