// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One device: its ports and its congestion control tables. */

import { useParams } from "react-router";
import { useDevice } from "@/api/queries/fabrics";
import type { DevicePort } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { firmwareText, kindText, throttlesText } from "@/format/device";
import { stateMeaning } from "@/format/device_state";
import { dialectSentence } from "@/format/dialect";
import { DeviceTables } from "@/pages/fabric/device_tables";
import { linkColumns } from "@/pages/fabric/link_columns";
import { PeerLink } from "@/pages/fabric/peer_link";

export default function DevicePage() {
  const { fabric = "", guid = "" } = useParams();
  const device = useDevice(fabric, guid);
  return (
    <div className="stack">
      <PageHead
        title={device.data?.name ?? guid}
        crumbs={[
          { to: `/fabrics/${encodeURIComponent(fabric)}`, text: fabric },
          { to: `/fabrics/${encodeURIComponent(fabric)}?tab=devices`, text: "Devices" },
        ]}
        beside={device.data && <Tag state={device.data.state} title={stateMeaning(device.data.state)} />}
      />
      <QueryView query={device} rows={10}>
        {(known) => (
          <>
            <section className="panel stack" aria-label="The device">
              <Facts
                facts={[
                  ["GUID", <code key="guid">{known.guid}</code>],
                  ["Kind", kindText(known)],
                  ["LID", known.lid === null ? "unknown" : String(known.lid)],
                  ["Link", known.rate ?? "unknown"],
                  ["Firmware", firmwareText(known)],
                  ["Vendor, device", known.vendor_id ? `${known.vendor_id}, ${known.device_id ?? "unknown"}` : "unknown"],
                  ["Attributes", dialectSentence(known)],
                  ...(known.withheld
                    ? [["Withheld", `It is not sent what the profile says of NVIDIA's: ${known.withheld}`] as [string, string]]
                    : []),
                  ["Throttles on BECNs", throttlesText(known.throttles, known.node_kind)],
                  ["Profile applied", known.applied_at ? <At key="applied" at={known.applied_at} /> : "not yet"],
                  ["Drifts, time-outs", `${known.drifts}, ${known.timeouts}`],
                  ...(known.detail && known.detail !== known.withheld ? [["Detail", known.detail] as [string, string]] : []),
                ]}
              />
            </section>
            <section className="stack" aria-labelledby="ports">
              <h2 id="ports">Ports</h2>
              <DataTable
                caption={`Ports of ${known.name}`}
                columns={portColumns(fabric)}
                rows={known.ports}
                rowKey={(row) => String(row.port)}
                file={`${known.name}-ports`}
                empty="No port is known."
              />
            </section>
            <section className="stack" aria-labelledby="tables">
              <h2 id="tables">Congestion control tables</h2>
              <DeviceTables name={known.name} tables={known.tables} />
            </section>
          </>
        )}
      </QueryView>
    </div>
  );
}

function portColumns(fabric: string): Column<DevicePort>[] {
  return [
    { key: "port", title: "Port", numeric: true, head: true, value: (row) => row.port },
    {
      key: "peer",
      title: "Other end",
      value: (row) => (row.peer ? `${row.peer.name} port ${row.peer.port}` : null),
      show: (row) => <PeerLink fabric={fabric} peer={row.peer} />,
    },
    ...linkColumns(),
  ];
}
