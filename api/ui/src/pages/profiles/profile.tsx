// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One profile: its curve, its text, its versions and their differences, and a link to apply it to a fabric. */

import "@/pages/profiles/profiles.css";
import { Button, Select, Tabs } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useArchiveProfile, useProfile, useProfileVersion, useProfileVersions, useValidation } from "@/api/queries/profiles";
import { useMay } from "@/api/queries/session";
import type { Profile } from "@/api/types";
import { useAddress } from "@/components/address";
import { Confirm } from "@/components/confirm";
import { Facts } from "@/components/facts";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { download } from "@/format/csv";
import { CurvePanel } from "@/pages/profiles/curve_panel";
import { DiffPanel } from "@/pages/profiles/diff_panel";
import { TrialRuns } from "@/pages/profiles/trial_runs";

export default function ProfilePage() {
  const { name = "" } = useParams();
  const { get, set } = useAddress();
  const latest = useProfile(name);
  const wanted = Number(get("version")) || null;
  const older = useProfileVersion(name, wanted !== null && wanted !== latest.data?.version ? wanted : null);
  const shown = wanted !== null && wanted !== latest.data?.version ? older : latest;
  const tab = get("tab") || (get("from") ? "changes" : "settings");
  return (
    <div className="stack">
      <PageHead
        title={name}
        crumbs={[{ to: "/profiles", text: "Profiles" }]}
        beside={latest.data?.builtin && <span className="tag">built in, read-only</span>}
      >
        {latest.data && <Actions profile={latest.data} version={shown.data?.version ?? latest.data.version} />}
      </PageHead>
      <QueryView query={shown} rows={10}>
        {(profile) => (
          <Tabs value={tab} keepMounted={false} onChange={(tab) => set({ tab })}>
            <Tabs.List>
              <Tabs.Tab value="settings">Profile</Tabs.Tab>
              <Tabs.Tab value="changes">Versions and changes</Tabs.Tab>
              <Tabs.Tab value="trials">Trial runs</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="settings" pt="md">
              <SettingsOf profile={profile} />
            </Tabs.Panel>
            <Tabs.Panel value="changes" pt="md">
              <Changes profile={profile} />
            </Tabs.Panel>
            <Tabs.Panel value="trials" pt="md">
              <TrialRuns profile={profile.name} />
            </Tabs.Panel>
          </Tabs>
        )}
      </QueryView>
    </div>
  );
}

function Actions({ profile, version }: { profile: Profile; version: number }) {
  const may = useMay("operator");
  const archive = useArchiveProfile();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const at = encodeURIComponent(profile.name);
  if (!may) return null;
  return (
    <>
      {!profile.builtin && (
        <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
          Archive
        </Button>
      )}
      <Button variant="default" component={Link} to={`/profiles/new?from=${at}`}>
        Copy
      </Button>
      {!profile.builtin && (
        <Button variant="default" component={Link} to={`/profiles/${at}/edit`}>
          Edit
        </Button>
      )}
      <Button component={Link} to={`/promote?profile=${at}&version=${version}`}>
        Plan, apply, promote
      </Button>
      <Confirm
        opened={asking}
        title={`Archive ${profile.name}?`}
        action="Archive"
        danger
        busy={archive.isPending}
        error={archive.error}
        onConfirm={() =>
          archive.mutate({ name: profile.name, etag: profile.etag ?? "" }, { onSuccess: () => navigate("/profiles") })
        }
        onClose={() => setAsking(false)}
      >
        <p>Lists no longer show it; its versions are kept. Fabrics that hold it keep it.</p>
      </Confirm>
    </>
  );
}

function SettingsOf({ profile }: { profile: Profile }) {
  const validation = useValidation(profile.document);
  return (
    <div className="editor">
      <div className="stack">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
        <section className="table-box" tabIndex={0} aria-label="Document">
          <pre className="code">{profile.document}</pre>
        </section>
        <div className="row small">
          <button
            type="button"
            className="plain-link"
            onClick={() => download(`${profile.name}.yaml`, profile.document, "application/yaml")}
          >
            YAML
          </button>
          <button
            type="button"
            className="plain-link"
            onClick={() => download(`${profile.name}.json`, `${JSON.stringify(profile, null, 2)}\n`, "application/json")}
          >
            JSON
          </button>
        </div>
      </div>
      <div className="editor-side stack">
        <section className="panel" aria-label="This version">
          <Facts
            facts={[
              ["Version", String(profile.version)],
              ["By", profile.created_by ?? "ibcc"],
              ["Used on", profile.belongs_to ?? "all fabrics"],
              ...(profile.builtin ? [] : [["Created", <At key="made" at={profile.created_at} />] as [string, React.ReactNode]]),
              ["Comment", profile.comment || "–"],
            ]}
          />
        </section>
        <QueryView query={validation} rows={6}>
          {({ curve, reach }) => <CurvePanel name={profile.name} curve={curve ?? []} reach={reach} />}
        </QueryView>
      </div>
    </div>
  );
}

function Changes({ profile }: { profile: Profile }) {
  const versions = useProfileVersions(profile.name);
  const address = useAddress();
  const set = (key: string, value: string | null) => value && address.set({ [key]: value, tab: "changes" });
  const to = Number(address.get("version")) || profile.version;
  const from = Number(address.get("from")) || Math.max(1, to - 1);
  return (
    <QueryView query={{ ...versions, data: versions.items }}>
      {(items) => {
        const data = items.map(({ version, comment }) => ({
          value: String(version),
          label: `${version}${comment ? `: ${comment}` : ""}`,
        }));
        return (
          <div className="stack">
            <div className="row bottom">
              <Select
                className="grow"
                label="From version"
                data={data}
                value={String(from)}
                onChange={(value) => set("from", value)}
              />
              <Select
                className="grow"
                label="To version"
                data={data}
                value={String(to)}
                onChange={(value) => set("version", value)}
              />
            </div>
            {from === to ? (
              <div className="empty">{items.length > 1 ? "Choose two different versions." : "There is only one version."}</div>
            ) : (
              <DiffPanel name={profile.name} query={{ from, to }} fromName={`version ${from}`} toName={`version ${to}`} />
            )}
          </div>
        );
      }}
    </QueryView>
  );
}
