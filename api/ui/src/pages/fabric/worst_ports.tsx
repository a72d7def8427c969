// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The ten ports with the most congestion; each brings its node into the middle of the map. */

import { useCongestion } from "@/api/queries/topology";
import type { Congestion, MeasuredCc } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { percent } from "@/format/quantity";

interface Props {
  fabric: string;
  cc: MeasuredCc | null;
  onPick: (guid: string, expand: string[]) => void;
}

export function WorstPorts({ fabric, cc, onPick }: Props) {
  const congestion = useCongestion(fabric, cc);
  return (
    <section className="panel stack" aria-label="Most congested ports">
      <h2>Most congested ports</h2>
      <QueryView query={congestion}>{(known) => <Ports known={known} onPick={onPick} />}</QueryView>
    </section>
  );
}

function Ports({ known, onPick }: { known: Congestion; onPick: Props["onPick"] }) {
  if (known.source === "none") return <p className="soft small">{known.unread}</p>;
  if (known.ports.length === 0) return <p className="soft small">No port was congested.</p>;
  return (
    <ol className="worst-ports">
      {known.ports.map(({ guid, port, name, peer, congestion, expand }) => (
        <li key={`${guid} ${port}`}>
          <button type="button" className="plain-link cut-anywhere" onClick={() => onPick(guid, expand)}>
            {name} port {port}
          </button>{" "}
          {peer && <span className="soft small cut-anywhere">to {peer.name}</span>}{" "}
          <span className="nowrap">{percent(congestion, 1)}</span>
        </li>
      ))}
    </ol>
  );
}
