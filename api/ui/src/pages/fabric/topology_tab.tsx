// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The topology of a fabric, as a map or as tables, with search, paths, and what is congested. All choices stand in the address. */

import { Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useFabricState } from "@/api/queries/fabrics";
import { usePath, useTopology } from "@/api/queries/topology";
import type { FoundNode, Mark, MeasuredCc, Topology, TopologyNode } from "@/api/types";
import { useAddress } from "@/components/address";
import { QueryView } from "@/components/query_view";
import { count } from "@/format/quantity";
import { ChosenNode } from "@/pages/fabric/chosen_node";
import { DeviceList } from "@/pages/fabric/device_list";
import { DialectPanel } from "@/pages/fabric/dialect_panel";
import { HeatLegend } from "@/pages/fabric/heat_legend";
import { Incomplete } from "@/pages/fabric/incomplete";
import { LinkList } from "@/pages/fabric/link_list";
import { MarkLegend } from "@/pages/fabric/marks";
import { NodeSearch } from "@/pages/fabric/node_search";
import { PathPanel, PathTable } from "@/pages/fabric/path_panel";
import { TopologyMap } from "@/pages/fabric/topology_map";
import { WorstPorts } from "@/pages/fabric/worst_ports";
import { FabricHealth } from "@/pages/overview/fabric_card";

const VIEWS = [
  { value: "map", label: "Map" },
  { value: "nodes", label: "Table of nodes" },
  { value: "links", label: "Table of links" },
];

export function TopologyTab({ fabric }: { fabric: string }) {
  const { get, set } = useAddress();
  const view = get("view") || "map";
  const cc = (get("cc") || null) as MeasuredCc | null;
  return (
    <div className="stack">
      <div className="row">
        <SegmentedControl
          size="xs"
          aria-label="View of the topology"
          data={VIEWS}
          value={view}
          onChange={(value) => set({ view: value === "map" ? null : value, q: null })}
        />
      </div>
      {view === "nodes" && <DeviceList fabric={fabric} />}
      {view === "links" && <LinkList fabric={fabric} cc={cc} />}
      {view === "map" && <MapView fabric={fabric} cc={cc} />}
    </div>
  );
}

function MapView({ fabric, cc }: { fabric: string; cc: MeasuredCc | null }) {
  const { get, all, set } = useAddress();
  const expand = all("expand");
  const [chosen, from, to] = [get("node") || null, get("from"), get("to")];
  const topology = useTopology(fabric, { expand, cc });
  const path = usePath(fabric, from, to, { expand, cc });
  const state = useFabricState(fabric);
  const [centre, setCentre] = useState<{ id: string } | null>(chosen === null ? null : { id: chosen });
  const change = (groups: string[], keys: Record<string, string | null>) =>
    set({ expand: [...new Set([...expand, ...groups])], ...keys });
  const choose = (node: TopologyNode) =>
    node.kind === "group" ? change([node.id], { node: null }) : set({ node: node.guid ?? node.id });
  const show = (guid: string, groups: string[]) => {
    change(groups, { node: guid });
    setCentre({ id: guid });
  };
  const end = (key: "from" | "to") => (node: FoundNode) => change(node.expand, { [key]: node.guid });
  const along = from && to ? (path.data?.hops ?? []).flatMap(({ shown }) => shown ?? []) : [];
  return (
    <>
      <div className="row bottom">
        <NodeSearch className="grow" fabric={fabric} label="Find a node" onPick={(node) => show(node.guid, node.expand)} />
        {expand.length > 0 && (
          <Button variant="default" onClick={() => set({ expand: null, node: null })}>
            Back to the whole fabric
          </Button>
        )}
      </div>
      <QueryView query={topology} rows={12}>
        {(known) => (
          <>
            <Incomplete reason={known.incomplete} />
            <HeatLegend source={known.congestion} onChoose={(value) => set({ cc: value }, { replace: true })} />
            <MarkLegend marks={marksOf(known)} />
            {known.links.some(({ down }) => down > 0) && <p className="small soft">Broken lines: links that are down.</p>}
            <div className="fabric-side">
              <div className="stack tight">
                <TopologyMap topology={known} chosen={chosen} centre={centre} path={along} onChoose={choose} />
                <Undrawn topology={known} fabric={fabric} />
                {from && to && <PathTable fabric={fabric} path={path} />}
              </div>
              <div className="stack">
                {chosen && (
                  <ChosenNode
                    fabric={fabric}
                    guid={chosen}
                    onClose={() => set({ node: null })}
                    onPath={(key) => set({ [key]: chosen })}
                  />
                )}
                <section className="panel stack" aria-label="State of the fabric">
                  <h2>State</h2>
                  <QueryView query={state}>{(health) => <FabricHealth state={health} />}</QueryView>
                </section>
                <section className="panel stack" aria-labelledby="attributes">
                  <h2 id="attributes">Congestion-control attributes</h2>
                  <QueryView query={state}>{(known) => <DialectPanel state={known} />}</QueryView>
                </section>
                <WorstPorts fabric={fabric} cc={cc} onPick={show} />
                <PathPanel
                  fabric={fabric}
                  from={from}
                  to={to}
                  onFrom={end("from")}
                  onTo={end("to")}
                  onClear={() => set({ from: null, to: null })}
                />
              </div>
            </div>
          </>
        )}
      </QueryView>
    </>
  );
}

function marksOf(topology: Topology): Mark[] {
  return [...new Set([...topology.levels.flatMap(({ nodes }) => nodes.flatMap(({ marks }) => marks))])];
}

/** What is on the fabric, or in its wiring, and not in the drawing. */
function Undrawn({ topology, fabric }: { topology: Topology; fabric: string }) {
  const { undrawn, unplaced, unplaced_count: strangers } = topology;
  const kinds = Object.entries(undrawn).filter(([, n]) => n > 0);
  return (
    <>
      {kinds.length > 0 && (
        <p className="small soft">Not drawn: {kinds.map(([kind, n]) => count(n, `${kind} node`)).join(", ")}.</p>
      )}
      {strangers > 0 && (
        <p className="small">
          On the fabric, and not in its wiring: {count(strangers, "device")}.{" "}
          {unplaced.slice(0, 10).map(({ guid, name }) => (
            <span key={guid} className="cut-anywhere">
              <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(guid)}`}>{name || guid}</Link>{" "}
            </span>
          ))}
        </p>
      )}
    </>
  );
}
