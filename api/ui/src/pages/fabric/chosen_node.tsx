// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What was clicked on in the topology, in short. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useDevice } from "@/api/queries/fabrics";
import { Asked } from "@/parts/asked";
import { Facts } from "@/parts/facts";
import { Tag } from "@/parts/tag";
import { reactsText } from "@/words/reacts";

export function ChosenNode({ fabric, guid, onClose }: { fabric: string; guid: string; onClose: () => void }) {
  const device = useDevice(fabric, guid);
  return (
    <section className="panel stack" aria-label="Chosen device">
      <Asked query={device}>
        {(known) => (
          <>
            <div className="row ends">
              <h2>{known.name}</h2>
              <Button size="xs" variant="subtle" onClick={onClose}>
                Close
              </Button>
            </div>
            <Facts
              facts={[
                ["GUID", <code key="guid">{known.guid}</code>],
                ["Kind", known.kind],
                ["State", <Tag key="state" state={known.state} />],
                ["Ports", String(known.ports.length)],
                ["Throttles on BECNs", reactsText(known.throttles)],
              ]}
            />
            <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(known.guid)}`}>Ports and tables</Link>
          </>
        )}
      </Asked>
    </section>
  );
}
