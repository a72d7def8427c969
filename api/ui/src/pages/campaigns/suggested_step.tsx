// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wizard's step that shows the profile with which the campaign begins. */

import { Checkbox } from "@mantine/core";
import { Link } from "react-router";
import { Problem } from "@/api/problem";
import { useSuggestion } from "@/api/queries/suggestions";
import type { RoleCounts } from "@/api/types";
import { SuggestionQuery } from "@/pages/suggest/suggestion_query";
import { SuggestionView } from "@/pages/suggest/suggestion_view";

/** Nothing is wrong with the question: the fabric allows no suggestion. */
const CONFLICT = 409;

interface Props {
  fabric: string;
  workloads: string[];
  roles: RoleCounts | null;
  measured: boolean;
  onMeasured: (measured: boolean) => void;
}

export function SuggestedStep({ fabric, workloads, roles, measured, onMeasured }: Props) {
  // As the first trial is made: for devices as the fabric's document or the simulator has them.
  const suggestion = useSuggestion(fabric, { workloads, devices: [], ...(roles && { roles }) });
  const others = new URLSearchParams({ fabric, workload: workloads.length === 1 ? (workloads[0] ?? "") : "" });
  // A workload that does not fit the fabric makes no campaign either.
  const goesOn = suggestion.error instanceof Problem && suggestion.error.status === CONFLICT;
  return (
    <SuggestionQuery query={suggestion} otherwise={goesOn && <p>The campaign searches without it.</p>}>
      {(found) => (
        <div className="stack">
          <Checkbox
            label="Measure the suggested profile first"
            description="The search begins there, with its values as far as the search space holds them."
            checked={measured}
            onChange={(event) => onMeasured(event.currentTarget.checked)}
          />
          <p className="small soft">
            It is made for devices as the fabric has them, or the simulator where nothing is said of them.{" "}
            <Link to={`/profiles/suggest?${others}`} target="_blank">
              Suggest one for other devices or contributors
            </Link>
          </p>
          <SuggestionView fabric={fabric} suggestion={found} newTab />
        </div>
      )}
    </SuggestionQuery>
  );
}
