// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A summary of the device that is selected in the topology. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useDevice } from "@/api/queries/fabrics";
import { Facts } from "@/components/facts";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { throttlesText } from "@/format/throttles";

export function ChosenNode({ fabric, guid, onClose }: { fabric: string; guid: string; onClose: () => void }) {
  const device = useDevice(fabric, guid);
  return (
    <section className="panel stack" aria-label="Selected device">
      <QueryView query={device}>
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
                ["Throttles on BECNs", throttlesText(known.throttles)],
              ]}
            />
            <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(known.guid)}`}>Ports and tables</Link>
          </>
        )}
      </QueryView>
    </section>
  );
}
