// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Congestion-control attributes that the devices of a fabric have, with numbers. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { DialectCounts, FabricState } from "@/api/types";
import { Facts } from "@/components/facts";
import { counted } from "@/format/dialect";
import { count } from "@/format/quantity";
import { AskDevices } from "@/pages/fabric/ask_devices";
import { ClearForeign } from "@/pages/fabric/clear_foreign";

export function DialectPanel({ state }: { state: FabricState }) {
  const { fabric, dialects, reachable } = state;
  const { documented, reported } = dialects;
  const may = useMay("operator");
  if (!documented && !reported) {
    return <p className="small soft">{reachable ? NOT_REPORTED : "Not known, because the fabric is unreachable."}</p>;
  }
  // The list of devices has what devices have answered, where there is somebody to ask them.
  return (
    <>
      {documented && (
        <Counts
          title="By the fabric's document"
          counts={documented}
          fabric={state.kind === "simulated" ? fabric : null}
          unknown={NOT_SAID}
        />
      )}
      {reported && <Counts title="As devices have answered" counts={reported} fabric={fabric} unknown={UNKNOWN} />}
      {reported && <AskDevices fabric={fabric} />}
      {reported && <ClearForeign fabric={fabric} devices={state.devices?.foreign ?? 0} />}
      {may && <Link to={`/profiles/new?fabric=${encodeURIComponent(fabric)}`}>New profile for these devices</Link>}
    </>
  );
}

const NOT_REPORTED = "Not known: this release of the plugin does not ask devices for NVIDIA's attributes.";

const UNKNOWN = "Not known: not asked for both kinds, or no answer yet.";
const NOT_SAID = "Not known: nobody has said it. Import the fabric again, and choose its congestion control.";

interface CountsProps {
  title: string;
  counts: DialectCounts;
  /** With links to the list of its devices. */
  fabric: string | null;
  /** What it means that some are not known. */
  unknown: string;
}

function Counts({ title, counts, fabric, unknown }: CountsProps) {
  const found = counted(counts);
  return (
    <div className="stack tight">
      <p className="small soft">{title}</p>
      {found.length === 0 ? (
        <p>There is no device.</p>
      ) : (
        <Facts
          facts={found.map(({ dialect, text, devices }) => [
            text,
            fabric ? (
              <Link key={dialect} to={`/fabrics/${encodeURIComponent(fabric)}?tab=devices&dialect=${dialect}`}>
                {count(devices, "device")}
              </Link>
            ) : (
              count(devices, "device")
            ),
          ])}
        />
      )}
      {counts.unknown > 0 && <p className="small soft">{unknown}</p>}
    </div>
  );
}
