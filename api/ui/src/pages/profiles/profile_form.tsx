// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A profile as a form: the sections that the devices of a fabric have first, the others folded away. */

import { Select } from "@mantine/core";
import { useCallback, useEffect, useId, useState } from "react";
import { Link } from "react-router";
import { useFabricState, useFabrics } from "@/api/queries/fabrics";
import { useParameters } from "@/api/queries/profiles";
import type { FabricState, Validation } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { titleOf } from "@/format/quantity";
import { valueAt, withSetting } from "@/pages/profiles/document";
import { ParameterInput } from "@/pages/profiles/parameter_input";
import { type Devices, knows, type Section, sections } from "@/pages/profiles/sections";
import { ThresholdRows } from "@/pages/profiles/threshold_rows";

interface Props {
  text: string;
  validation: Validation | undefined;
  /** Empty: none in particular. */
  fabric: string;
  /** Chosen where nothing else is. */
  belongsTo?: string | null;
  onFabric: (fabric: string) => void;
  onChange: (text: string) => void;
}

const TITLES: Record<string, string> = {
  "": "Profile",
  ca: "Channel adapter (CA)",
  cct: "Congestion control table (CCT)",
  "nvidia.switch": "NVIDIA: switch",
  "nvidia.adapter": "NVIDIA: adapter",
};

/** Parts of sections that a form has no place for. */
const LISTS: Record<string, string> = {
  "nvidia.adapter": "Algorithms of the firmware (ppcc) and their parameters",
};

export function ProfileForm({ text, validation, fabric, belongsTo, onFabric, onChange }: Props) {
  const parameters = useParameters();
  const fabrics = useFabrics();
  const state = useFabricState(fabric);
  const devices = fabric && state.data ? devicesOf(state.data) : null;
  const problemOf = useCallback(
    (path: string) => validation?.problems.find((problem) => problem.path === path)?.detail,
    [validation],
  );
  return (
    <QueryView query={parameters} rows={12}>
      {(known) => (
        <div className="stack">
          <div className="stack tight">
            <Select
              label="For the devices of"
              description="Their sections come first. The choice is not stored in the profile."
              placeholder="No fabric in particular"
              clearable={fabric !== belongsTo}
              data={fabrics.items?.map(({ name }) => name) ?? []}
              value={fabric || null}
              onChange={(name) => onFabric(name ?? "")}
            />
            {fabric && state.data && !(devices && knows(devices.counts)) && (
              <p className="small soft">
                Which attributes the devices of {fabric} have is not known.{" "}
                <Link to={`/fabrics/${encodeURIComponent(fabric)}?tab=devices`}>Show its devices</Link>
              </p>
            )}
          </div>
          {sections(known, (section) => valueAt(text, section) !== undefined, devices).map((section) => (
            <FormSection key={`${fabric} ${section.name}`} section={section}>
              {section.members.map((parameter) => (
                <ParameterInput
                  key={parameter.path}
                  parameter={parameter}
                  value={valueAt(text, parameter.path)}
                  problem={problemOf(parameter.path)}
                  onChange={(value) => onChange(withSetting(text, parameter.path, value))}
                />
              ))}
              {section.name === "nvidia.switch" && (
                <ThresholdRows
                  text={text}
                  problems={(validation?.problems ?? [])
                    .filter(({ path }) => path?.startsWith("nvidia.switch.thresholds"))
                    .map(({ detail }) => detail)}
                  onChange={onChange}
                />
              )}
            </FormSection>
          ))}
        </div>
      )}
    </QueryView>
  );
}

/** By its document where that makes the devices, else by what they have answered. */
function devicesOf({ fabric, dialects: { documented, reported } }: FabricState): Devices | null {
  const counts = documented ?? reported;
  return counts && { fabric, counts };
}

function FormSection({ section, children }: { section: Section; children: React.ReactNode }) {
  const { name, folded, why } = section;
  const [shown, setShown] = useState(!folded);
  const id = useId();
  // A section whose last value is taken out stays until the page is left: nothing disappears under the viewer's hands.
  useEffect(() => {
    if (!folded) setShown(true);
  }, [folded]);
  const title = TITLES[name] ?? titleOf(name);
  return (
    <fieldset className="group">
      <legend>{title}</legend>
      {why && (
        <p className="group-why row small soft">
          <span>{why}</span>
          {folded && (
            <button
              type="button"
              className="plain-link"
              aria-expanded={shown}
              aria-controls={shown ? id : undefined}
              aria-label={`${shown ? "Fold" : "Show"} ${title}`}
              onClick={() => setShown(!shown)}
            >
              {shown ? "Fold" : "Show"}
            </button>
          )}
        </p>
      )}
      {shown && LISTS[name] && <p className="group-why small soft">{LISTS[name]} are lists, which are written under “YAML”.</p>}
      {shown && (
        <div id={id} className="parameter-grid">
          {children}
        </div>
      )}
    </fieldset>
  );
}
