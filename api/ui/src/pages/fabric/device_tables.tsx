// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The tables of a device: raw values under the specification's names, wanted beside held. */

import { Switch } from "@mantine/core";
import { Fragment, useCallback, useState } from "react";
import type { DeviceAttribute } from "@/api/types";
import { cctCurve } from "@/charts/cct_curve";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { DataTable } from "@/components/data_table";
import { Tag } from "@/components/tag";
import { type ComparedField, compareTables, type Entry, entriesOf, toCurve } from "@/pages/fabric/tables";

export function DeviceTables({ name, tables }: { name: string; tables: DeviceAttribute[] }) {
  // Null: nobody has chosen, so what differs is shown if anything does.
  const [chosen, choose] = useState<boolean | null>(null);
  if (tables.length === 0) return <div className="empty">The tables of this device are unknown.</div>;
  const wanted = entriesOf(tables, "wanted");
  const held = entriesOf(tables, "held");
  const rows = compareTables(tables);
  const differing = rows.filter(({ differs }) => differs);
  const shown = (chosen ?? differing.length > 0) ? differing : rows;
  return (
    <div className="stack">
      {(wanted.length > 0 || held.length > 0) && <TableChart name={name} wanted={wanted} held={held} />}
      <Switch
        label={`Only what differs (${differing.length})`}
        checked={chosen ?? differing.length > 0}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <DataTable
        caption={`Settings of ${name}`}
        className="device-table"
        columns={[
          {
            key: "attribute",
            title: "Attribute",
            head: true,
            value: (row) => row.attribute,
            show: (row) => <Parts text={row.attribute} />,
          },
          { key: "where", title: "Port; block", value: (row) => row.where },
          {
            key: "field",
            title: "Field",
            value: (row) => row.field,
            show: (row) => (
              <code>
                <Parts text={row.field} />
              </code>
            ),
          },
          { key: "wanted", title: "Wanted", value: (row) => row.wanted, show: (row) => <code>{row.wanted ?? "–"}</code> },
          { key: "held", title: "Held", value: (row) => row.held, show: (row) => <code>{row.held ?? "unknown"}</code> },
          ...(rows.some(({ found }) => found !== null)
            ? [
                {
                  key: "found",
                  title: "As found",
                  value: (row: ComparedField) => row.found,
                  show: (row: ComparedField) => <code>{row.found ?? "–"}</code>,
                },
              ]
            : []),
          {
            key: "same",
            title: "Check",
            value: (row) => (row.differs ? "differs" : ""),
            show: (row) => (row.differs ? <Tag state="differs" tone="bad" /> : null),
          },
        ]}
        rows={shown}
        rowKey={(row) => `${row.attribute} ${row.where} ${row.field}`}
        file={`${name}-settings`}
        empty="No value differs."
      />
    </div>
  );
}

/** A name of the specification, which a narrow column breaks between its words. */
function Parts({ text }: { text: string }) {
  const parts = text.split(/(?<=[a-z_])(?=[A-Z])/);
  return parts.map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function TableChart({ name, wanted, held }: { name: string; wanted: Entry[]; held: Entry[] }) {
  const key = JSON.stringify([wanted, held]);
  const curves = [
    { name: "wanted", points: toCurve(wanted) },
    ...(held.length > 0 && JSON.stringify(held) !== JSON.stringify(wanted) ? [{ name: "held", points: toCurve(held) }] : []),
  ];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries' contents are the key
  const option = useCallback((ink: Ink) => cctCurve(curves, ink), [key]);
  const longest = wanted.length >= held.length ? wanted : held;
  return (
    <section className="panel" aria-label="Congestion control table">
      <Chart
        size="low"
        label={`Congestion control table of ${name}: delay in packet times over ${longest.length} indices`}
        option={option}
        table={() => ({
          columns: ["ccti", "wanted_shift", "wanted_multiplier", "held_shift", "held_multiplier"],
          rows: longest.map((_, i) => [i, wanted[i]?.shift, wanted[i]?.multiplier, held[i]?.shift, held[i]?.multiplier]),
        })}
        file={`${name}-cct`}
      />
    </section>
  );
}
