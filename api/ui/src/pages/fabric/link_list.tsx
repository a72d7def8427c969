// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The links of a fabric as a table; the service filters them. */

import { TextInput } from "@mantine/core";
import { useLinks } from "@/api/queries/topology";
import type { LinkRow, MeasuredCc } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { linkColumns } from "@/pages/fabric/link_columns";
import { PeerLink } from "@/pages/fabric/peer_link";

export function LinkList({ fabric, cc }: { fabric: string; cc: MeasuredCc | null }) {
  const q = useTyped(useAddress(), "q");
  const links = useLinks(fabric, q.settled, cc);
  return (
    <div className="stack">
      <TextInput label="Name or GUID of an end" value={q.value} onChange={(event) => q.type(event.currentTarget.value)} />
      <QueryView query={{ ...links, data: links.items }} rows={8}>
        {(rows) => (
          <>
            <DataTable
              caption={`Links of ${fabric}`}
              columns={columns(fabric)}
              rows={rows}
              rowKey={(row) => `${row.a.guid} ${row.a.port}`}
              file={`${fabric}-links`}
              empty="No link matches."
            />
            {links.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => links.fetchNextPage()}>
                Load more links
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

function columns(fabric: string): Column<LinkRow>[] {
  const end = (side: "a" | "b", title: string): Column<LinkRow> => ({
    key: side,
    title,
    head: side === "a",
    value: (row) => `${row[side].name} port ${row[side].port}`,
    show: (row) => <PeerLink fabric={fabric} peer={row[side]} />,
  });
  return [
    end("a", "One end"),
    end("b", "Other end"),
    {
      key: "up",
      title: "State",
      value: (row) => (row.up === null ? "unknown" : row.up ? "up" : "down"),
      show: (row) => (row.up === null ? "unknown" : <Tag state={row.up ? "up" : "down"} tone={row.up ? "good" : "bad"} />),
    },
    ...linkColumns(),
  ];
}
