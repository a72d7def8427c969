// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The list of profiles. */

import { Button, Switch } from "@mantine/core";
import { Link } from "react-router";
import { useProfiles } from "@/api/queries/profiles";
import { useMay } from "@/api/queries/session";
import type { Profile } from "@/api/types";
import { useAddress } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";

const COLUMNS: Column<Profile>[] = [
  {
    key: "name",
    title: "Name",
    head: true,
    value: (row) => row.name,
    show: (row) => (
      <>
        <Link to={`/profiles/${encodeURIComponent(row.name)}`}>{row.name}</Link>{" "}
        {row.builtin && <span className="tag">built in</span>} {row.archived && <span className="tag">archived</span>}
      </>
    ),
  },
  { key: "version", title: "Version", numeric: true, value: (row) => row.version },
  { key: "comment", title: "Comment", value: (row) => row.comment ?? "" },
  { key: "created_by", title: "By", value: (row) => row.created_by ?? "ibcc" },
  {
    key: "created_at",
    title: "Changed",
    value: (row) => row.created_at,
    show: (row) => (row.builtin ? "built in" : <Ago at={row.created_at} />),
  },
];

export default function Profiles() {
  const profiles = useProfiles();
  const may = useMay("operator");
  const address = useAddress();
  const archived = address.get("archived") !== "";
  return (
    <div className="stack">
      <PageHead title="Profiles">
        {profiles.items?.some((profile) => profile.archived) && (
          <Switch label="Show archived" checked={archived} onChange={() => address.set({ archived: archived ? null : "1" })} />
        )}
        <Button variant="default" component={Link} to="/profiles/suggest">
          Suggest a profile
        </Button>
        {may && (
          <Button component={Link} to="/profiles/new">
            New profile
          </Button>
        )}
      </PageHead>
      <p className="soft prose">
        A profile is a complete, named set of congestion control settings. Each change makes a new version; old ones stay.
      </p>
      <QueryView query={{ ...profiles, data: profiles.items }} rows={6}>
        {(items) => (
          <DataTable
            caption="Profiles"
            columns={COLUMNS}
            rows={items.filter((profile) => archived || !profile.archived)}
            rowKey={(row) => row.name}
            file="profiles"
            empty="No profile yet."
          />
        )}
      </QueryView>
    </div>
  );
}
