// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wanted profile compared with the fabric's base: keys that differ, and both tables in one chart. */

import { useProfileVersion, useValidation } from "@/api/queries/profiles";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { CurvePanel } from "@/pages/profiles/curve_panel";
import { DiffPanel } from "@/pages/profiles/diff_panel";

interface Props {
  fabric: string;
  profile: string;
  version: number;
  base: string | null;
  baseVersion: number | null;
  /** True if the fabric is known to have no base yet. */
  baseless: boolean;
}

export function Compared({ fabric, profile, version, base, baseVersion, baseless }: Props) {
  const known = base !== null && baseVersion !== null;
  const wanted = useProfileVersion(profile, version);
  const present = useProfileVersion(base ?? "", baseVersion).data;
  const validation = useValidation(wanted.data?.document ?? "");
  const presentCurve = useValidation(present?.document ?? "").data?.curve;
  const [from, to] = [`${base}, version ${baseVersion}`, `${profile}, version ${version}`];
  return (
    <div className="halves">
      <section className="stack" aria-labelledby="settings">
        <h2 id="settings">Differences from the base</h2>
        {known ? (
          <DiffPanel
            name={base}
            query={{ from: baseVersion, to: version, other: profile }}
            fromName={from}
            toName={to}
            nameToo={false}
          />
        ) : baseless ? (
          <Notice kind="info">
            {fabric} has no base profile yet, so there is nothing to compare with. A promotion sets the first.
          </Notice>
        ) : (
          <Notice kind="info">
            The base of {fabric}
            {base ? `, ${base},` : ""} is not a profile of the service, so it cannot be compared here. The plan below is still
            valid.
          </Notice>
        )}
      </section>
      <QueryView query={{ ...validation, error: wanted.error ?? validation.error }} rows={6}>
        {({ curve }) => <CurvePanel name={to} curve={curve ?? []} before={known ? presentCurve : undefined} beforeName={from} />}
      </QueryView>
    </div>
  );
}
