// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The path from one host to another: chosen here, drawn on the map, and listed with its ports below it. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useDevice } from "@/api/queries/fabrics";
import type { usePath } from "@/api/queries/topology";
import type { FoundNode, Hop } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { percent } from "@/format/quantity";
import { NodeSearch } from "@/pages/fabric/node_search";

interface Props {
  fabric: string;
  from: string;
  to: string;
  onFrom: (node: FoundNode) => void;
  onTo: (node: FoundNode) => void;
  onClear: () => void;
}

export function PathPanel({ fabric, from, to, onFrom, onTo, onClear }: Props) {
  return (
    <section className={from || to ? "panel stack path-active" : "panel stack"} aria-label="Path">
      <div className="row ends">
        <h2>Path</h2>
        {(from || to) && (
          <Button size="xs" variant="subtle" onClick={onClear}>
            Clear
          </Button>
        )}
      </div>
      <NodeSearch fabric={fabric} label="From host" hosts onPick={onFrom} />
      {from && <Chosen fabric={fabric} guid={from} />}
      <NodeSearch fabric={fabric} label="To host" hosts onPick={onTo} />
      {to && <Chosen fabric={fabric} guid={to} />}
    </section>
  );
}

/** The nodes on the path, with the ports by which packets come and go. */
export function PathTable({ fabric, path }: { fabric: string; path: ReturnType<typeof usePath> }) {
  return (
    <section className="stack tight" aria-label="Nodes on the path">
      <QueryView query={path} rows={4}>
        {(known) =>
          known.problem ? (
            <p>There is no route: {known.problem}</p>
          ) : (
            <>
              <p className="small soft">
                {known.routing === "tables"
                  ? "By the forwarding tables as they were imported."
                  : `By forwarding tables that routing ${known.routing} makes of the wiring.`}
              </p>
              <DataTable
                caption="Nodes and ports on the path"
                className="device-table"
                columns={columns(fabric)}
                rows={known.hops}
                rowKey={(hop) => hop.guid}
                file={`${fabric}-path`}
              />
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function Chosen({ fabric, guid }: { fabric: string; guid: string }) {
  const device = useDevice(fabric, guid);
  return <span className="small cut-anywhere">{device.data?.name ?? guid}</span>;
}

function columns(fabric: string): Column<Hop>[] {
  return [
    {
      key: "name",
      title: "Node",
      head: true,
      value: (hop) => hop.name,
      show: (hop) => (
        <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(hop.guid)}`}>{hop.name}</Link>
      ),
    },
    { key: "in_port", title: "In", numeric: true, value: (hop) => hop.in_port },
    { key: "out_port", title: "Out", numeric: true, value: (hop) => hop.out_port },
    { key: "rate", title: "Link", value: (hop) => hop.rate },
    {
      key: "congestion",
      title: "Congested",
      numeric: true,
      value: (hop) => hop.congestion,
      show: (hop) => percent(hop.congestion),
    },
  ];
}
