// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What was read: what looks wrong first, then what changed, counts, levels and rates, and the picture. */

import { importLineFiles, useImportPicture } from "@/api/queries/imports";
import type { FabricImport, ImportPreview } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Words } from "@/components/words";
import { count, number, quantity } from "@/format/quantity";
import { Incomplete } from "@/pages/fabric/incomplete";
import { LowCapacity } from "@/pages/fabric/low_capacity";
import { TopologyMap } from "@/pages/fabric/topology_map";
import { Differences } from "@/pages/import/differences";
import { Routing } from "@/pages/import/routing_advice";

export function Preview({ draft, preview }: { draft: FabricImport; preview: ImportPreview }) {
  const picture = useImportPicture(draft.id, draft.state === "ready");
  return (
    <>
      <Incomplete reason={preview.incomplete} />
      <LowCapacity capacity={preview.capacity} />
      {preview.unknown_devices > 0 && (
        <Notice kind="warn" title="Congestion control is not known">
          Nobody has said which congestion control {count(preview.unknown_devices, "device")} have, so no profile is set on them.
          Say it under “Read it again”.
        </Notice>
      )}
      <Sentences kind="warn" title="Look at this" sentences={warnings(preview)} />
      {preview.differences && (
        <section className="stack tight" aria-labelledby="differences">
          <h2 id="differences">Differences from version {draft.base_version}</h2>
          <Differences differences={preview.differences} />
        </section>
      )}
      <Sentences kind="info" title="Assumed, or left out" sentences={preview.notes} />
      <Sentences kind="info" title="Odd in the file" sentences={(preview.remarks ?? []).map(({ text }) => text)} />
      <div className="halves">
        <section className="panel stack" aria-labelledby="counts">
          <h2 id="counts">What was read</h2>
          <Facts facts={facts(preview)} />
        </section>
        <div className="stack">
          <Levels preview={preview} />
        </div>
      </div>
      {preview.advice && <Routing advice={preview.advice} />}
      {preview.advice && draft.state === "ready" && (
        <p>
          <a href={importLineFiles(draft.id)} download>
            Line for OpenSM and its files (ZIP)
          </a>
        </p>
      )}
      <section className="stack tight" aria-labelledby="picture">
        <h2 id="picture">Map</h2>
        <QueryView query={picture} rows={12}>
          {(known) => <TopologyMap topology={known} chosen={null} onChoose={() => {}} />}
        </QueryView>
      </section>
    </>
  );
}

function warnings({ warnings: all, equal_names, incomplete }: ImportPreview): string[] {
  const warnings = all.filter((sentence) => !incomplete || !sentence.endsWith(incomplete)); // it has a notice of its own
  const told = equal_names.filter(({ name }) => !warnings.some((sentence) => sentence.includes(`'${name}'`)));
  return [...warnings, ...told.map(({ name, count: n }) => `${number(n)} nodes are called '${name}'; GUIDs distinguish them`)];
}

function Sentences({ kind, title, sentences }: { kind: "warn" | "info"; title: string; sentences: string[] }) {
  if (sentences.length === 0) return null;
  return (
    <Notice kind={kind} title={title}>
      <ul className="import-lists">
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Words of={sentence} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function facts({ format, counts, mtu_bytes, routing, ports }: ImportPreview): [string, string][] {
  const others: [string, string][] = [
    ["Aggregation nodes", number(counts.aggregation_nodes)],
    ["Routers", number(counts.routers)],
  ];
  return [
    ["Format", format],
    ["Switches", number(counts.switches)],
    ["Hosts", number(counts.hosts)],
    ...others.filter(([, text]) => text !== "0"),
    ["Links", number(counts.links)],
    ["Ports without a link", `${count(ports.switches, "port")} of switches, ${number(ports.hosts)} of hosts`],
    ["MTU", quantity(mtu_bytes, "bytes")],
    ["Routing", routing],
  ];
}

function Levels({ preview }: { preview: ImportPreview }) {
  return (
    <>
      <DataTable
        caption="Levels"
        columns={[
          { key: "level", title: "Level", head: true, value: (row) => row.level, show: levelName },
          { key: "switches", title: "Switches", numeric: true, value: (row) => row.switches },
          { key: "hosts", title: "Hosts", numeric: true, value: (row) => row.hosts },
          { key: "links_up", title: "Links up", numeric: true, value: (row) => row.links_up },
          {
            key: "oversubscription",
            title: "Oversubscription",
            numeric: true,
            value: (row) => row.oversubscription,
            show: (row) => (row.oversubscription === null ? "–" : `up to ${number(row.oversubscription)} : 1`),
          },
        ]}
        rows={[...preview.levels].reverse()}
        rowKey={(row) => String(row.level)}
      />
      <DataTable
        caption="Rates"
        columns={[
          { key: "rate", title: "Rate", head: true, value: (row) => row.rate },
          { key: "links", title: "Links", numeric: true, value: (row) => row.links },
          { key: "data_gbps", title: "Data", unit: "Gb/s", numeric: true, value: (row) => row.data_gbps },
        ]}
        rows={preview.rates}
        rowKey={(row) => row.rate}
      />
    </>
  );
}

function levelName({ level, tree }: ImportPreview["levels"][number]): string {
  if (level === null) return "no hosts in reach";
  return level > 1 ? String(level) : tree ? "1 (leaves)" : "1 (with hosts)";
}
