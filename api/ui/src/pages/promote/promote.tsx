// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * Compare and promote: what a profile would change on a fabric, by key and by device; then a trial run, or the promotion to production,
 * which is confirmed for exactly the plan that is shown.
 */

import { Select } from "@mantine/core";
import { useFabricState, useFabrics, usePlan } from "@/api/queries/fabrics";
import { useProfile, useProfiles, useProfileVersions } from "@/api/queries/profiles";
import { useMay } from "@/api/queries/session";
import { useAddress } from "@/components/address";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { bareName } from "@/format/profile_name";
import { ApplyPanel } from "@/pages/promote/apply_panel";
import { Compared } from "@/pages/promote/compared";
import { PlanPanel } from "@/pages/promote/plan_panel";
import { PromotePanel } from "@/pages/promote/promote_panel";
import { Promotions } from "@/pages/promote/promotions";

export default function Promote() {
  const address = useAddress();
  const fabrics = useFabrics().items ?? [];
  const profiles = useProfiles().items ?? [];
  const fabric = address.get("fabric") || (fabrics[0]?.name ?? "");
  const profile = address.get("profile");
  const latest = useProfile(profile);
  const versions = useProfileVersions(profile);
  const version = Number(address.get("version")) || latest.data?.version || null;
  const state = useFabricState(fabric);
  const plan = usePlan(fabric, version ? profile : "", version);
  const may = useMay("operator");
  const baseless = state.data?.reachable === true && !state.data.base_profile;
  return (
    <div className="stack">
      <PageHead title="Compare and promote" />
      <div className="row bottom">
        <Select
          className="grow"
          label="Fabric"
          data={fabrics.map(({ name }) => name)}
          value={fabric || null}
          onChange={(value) => address.set({ fabric: value })}
        />
        <Select
          className="grow"
          label="Profile"
          placeholder="Choose one"
          searchable
          data={profiles.map(({ name }) => name)}
          value={profile || null}
          onChange={(value) => address.set({ profile: value, version: null })}
        />
        <Select
          label="Version"
          data={(versions.items ?? []).map((one) => String(one.version))}
          value={version ? String(version) : null}
          disabled={!profile}
          onChange={(value) => address.set({ version: value })}
        />
      </div>
      {fabric && profile && version ? (
        <>
          <Compared
            fabric={fabric}
            profile={profile}
            version={version}
            base={bareName(state.data?.base_profile)}
            baseVersion={versionOf(state.data?.base_profile)}
            baseless={baseless}
          />
          <QueryView query={plan} rows={8}>
            {(known) => (
              <>
                <PlanPanel fabric={fabric} plan={known} onAgain={() => plan.refetch()} busy={plan.isFetching} />
                {may && (
                  <div className="halves" key={JSON.stringify([fabric, profile, version])}>
                    <ApplyPanel
                      fabric={fabric}
                      profile={profile}
                      version={version}
                      plan={known}
                      planning={plan.isFetching}
                      base={bareName(state.data?.base_profile)}
                    />
                    <PromotePanel
                      fabric={fabric}
                      profile={profile}
                      version={version}
                      plan={known}
                      baseless={baseless}
                      secondPerson={fabrics.find(({ name }) => name === fabric)?.second_person ?? false}
                      onStale={() => plan.refetch()}
                    />
                  </div>
                )}
              </>
            )}
          </QueryView>
        </>
      ) : (
        <div className="empty">Choose a profile to see what it would change on {fabric || "a fabric"}.</div>
      )}
      <Promotions fabric={fabric} />
    </div>
  );
}

function versionOf(profile: unknown): number | null {
  return profile !== null && typeof profile === "object" && "version" in profile
    ? ((profile as { version: number | null }).version ?? null)
    : null;
}
