// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A summary of the device that is selected in the topology. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useDevice } from "@/api/queries/fabrics";
import { Facts } from "@/components/facts";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { firmwareText, kindText, throttlesText } from "@/format/device";

interface Props {
  fabric: string;
  guid: string;
  onClose: () => void;
  /** Begins or ends a path here. */
  onPath: (end: "from" | "to") => void;
}

export function ChosenNode({ fabric, guid, onClose, onPath }: Props) {
  const device = useDevice(fabric, guid);
  return (
    <section className="panel stack" aria-label="Selected device">
      <QueryView query={device}>
        {(known) => (
          <>
            <div className="row ends">
              <h2 className="cut-anywhere">{known.name}</h2>
              <Button size="xs" variant="subtle" onClick={onClose}>
                Close
              </Button>
            </div>
            <Facts
              facts={[
                ["GUID", <code key="guid">{known.guid}</code>],
                ["Kind", kindText(known)],
                ["State", <Tag key="state" state={known.state} />],
                ["LID", known.lid === null ? "unknown" : String(known.lid)],
                ["Link", known.rate ?? "unknown"],
                ["Firmware", firmwareText(known)],
                ["Ports", String(known.ports.length)],
                ["Throttles on BECNs", throttlesText(known.throttles, known.node_kind)],
              ]}
            />
            {known.node_kind === "host" && (
              <div className="row">
                <Button size="xs" variant="default" onClick={() => onPath("from")}>
                  Path from here
                </Button>
                <Button size="xs" variant="default" onClick={() => onPath("to")}>
                  Path to here
                </Button>
              </div>
            )}
            <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(known.guid)}`}>Ports and tables</Link>
          </>
        )}
      </QueryView>
    </section>
  );
}
