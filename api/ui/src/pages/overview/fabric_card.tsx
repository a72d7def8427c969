// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A fabric: whether it is reachable, which profile is active, and how many devices hold it. */

import { Link } from "react-router";
import { useFabricState } from "@/api/queries/fabrics";
import type { Fabric, FabricState, Watch } from "@/api/types";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { DEVICE_STATE_NAMES, DEVICE_STATES } from "@/format/device_state";
import { profileName } from "@/format/profile_name";
import { count, number } from "@/format/quantity";
import { LastAudit, LastChange, Watched } from "@/pages/overview/watch_health";

export function FabricCard({ fabric }: { fabric: Fabric }) {
  const state = useFabricState(fabric.name);
  return (
    <article className="panel stack">
      <div className="row ends">
        <h3>
          <Link to={`/fabrics/${encodeURIComponent(fabric.name)}`}>{fabric.name}</Link>
        </h3>
        <span className="soft small">{fabric.kind}</span>
      </div>
      <QueryView query={state} rows={4}>
        {(known) => <FabricHealth state={known} />}
      </QueryView>
    </article>
  );
}

export function FabricHealth({ state }: { state: FabricState }) {
  return (
    <>
      {!state.reachable && (
        <Notice kind="bad" title="Unreachable">
          <p>{state.reason}</p>
        </Notice>
      )}
      <Facts
        facts={[
          ...(state.reachable ? profileFacts(state) : []),
          ...(state.sm_state ? [["Subnet manager", <Tag key="sm" state={state.sm_state} />] as [string, React.ReactNode]] : []),
          ...(state.reachable ? [["Devices", <DeviceStates key="devices" state={state} />] as [string, React.ReactNode]] : []),
          ...(state.watch ? watchFacts(state.watch, state.fabric) : []),
          ["Checked", <Ago key="checked" at={state.checked_at} />],
        ]}
      />
    </>
  );
}

function profileFacts({ active_profile, base_profile, asks }: FabricState): [string, React.ReactNode][] {
  return [
    ["Active profile", asks ? profileName(active_profile) : "not known"],
    ["Base profile", profileName(base_profile)],
  ];
}

function watchFacts(watch: Watch, fabric: string): [string, React.ReactNode][] {
  return [
    ["Watched", <Watched key="watched" watch={watch} fabric={fabric} />],
    ["Last audited", <LastAudit key="audited" watch={watch} fabric={fabric} />],
    ...(watch.last ? [["Last change", <LastChange key="last" last={watch.last} />] as [string, React.ReactNode]] : []),
  ];
}

export function DeviceStates({ state }: { state: FabricState }) {
  const { devices } = state;
  const rest = DEVICE_STATE_NAMES.filter((name) => name !== "applied" && (devices[name] ?? 0) > 0);
  return (
    <span className="row">
      <span>{count(devices.total, "device")}</span>
      <Tag
        state="applied"
        text={`${number(devices.applied)} applied`}
        tone={devices.applied === devices.total ? "good" : "plain"}
      />
      {rest.map((name) => (
        <Tag key={name} state={name} title={DEVICE_STATES[name]} text={`${number(devices[name])} ${name}`} />
      ))}
    </span>
  );
}
