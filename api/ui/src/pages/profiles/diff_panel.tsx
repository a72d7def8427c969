// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Differences between two profiles, by key. */

import "@/pages/profiles/profiles.css";
import { useProfileDiff } from "@/api/queries/profiles";
import { DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { textOf } from "@/pages/profiles/parameter_input";

interface Props {
  name: string;
  query: { from?: number; to?: number; other?: string };
  fromName: string;
  toName: string;
  /** True to show the names, which differ anyway between two profiles. */
  nameToo?: boolean;
}

const text = (value: unknown) => (value === undefined || value === null ? "not set" : textOf(value));

export function DiffPanel({ name, query, fromName, toName, nameToo = true }: Props) {
  const diff = useProfileDiff(name, query);
  return (
    <QueryView query={diff}>
      {({ changes }) => (
        <DataTable
          caption={`Changes from ${fromName} to ${toName}`}
          columns={[
            { key: "path", title: "Key", head: true, value: (row) => row.path, show: (row) => <code>{row.path}</code> },
            {
              key: "from",
              title: fromName,
              value: (row) => text(row.from),
              show: (row) => <span className="diff-from">{text(row.from)}</span>,
            },
            {
              key: "to",
              title: toName,
              value: (row) => text(row.to),
              show: (row) => <span className="diff-to">{text(row.to)}</span>,
            },
          ]}
          rows={nameToo ? changes : changes.filter(({ path }) => path !== "name")}
          rowKey={(row) => row.path}
          file={`${name}-diff`}
          atOnce={12}
          empty="There is no difference."
        />
      )}
    </QueryView>
  );
}
