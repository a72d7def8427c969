/** The tables of a device as the wire has them: raw values under the specification's names. */

import { useCallback } from "react";
import { cctCurve } from "@/charts/cct_curve";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/look";
import { Facts } from "@/parts/facts";
import { flatten, isEntries, toCurve } from "@/pages/fabric/tables";

export function DeviceTables({ name, tables }: { name: string; tables: Record<string, unknown> }) {
  const parts = Object.entries(tables).filter(([, value]) => value !== null && value !== undefined);
  if (parts.length === 0) return <div className="empty">What the device holds is not known.</div>;
  return (
    <div className="halves">
      {parts.map(([part, value]) => (
        <section key={part} className="panel stack" aria-label={part}>
          <h3>
            <code>{part}</code>
          </h3>
          <TablePart name={`${name} ${part}`} value={value} />
        </section>
      ))}
    </div>
  );
}

function TablePart({ name, value }: { name: string; value: unknown }) {
  const entries = isEntries(value) ? value : isEntries((value as { entries?: unknown })?.entries) ? (value as { entries: never }).entries : null;
  const rest = flatten(entries && !Array.isArray(value) ? { ...(value as object), entries: undefined } : entries ? {} : value);
  return (
    <>
      {rest.length > 0 && <Facts facts={rest.map(([key, text]) => [key, <code key={key}>{text}</code>])} />}
      {entries && <TableChart name={name} entries={entries} />}
    </>
  );
}

function TableChart({ name, entries }: { name: string; entries: { shift: number; multiplier: number }[] }) {
  const option = useCallback((ink: Ink) => cctCurve([{ name, points: toCurve(entries) }], ink), [name, entries]);
  return (
    <Chart
      low
      label={`Congestion control table of ${name}: injection rate delay in packet times over ${entries.length} indices`}
      option={option}
      table={() => ({ columns: ["ccti", "shift", "multiplier"], rows: entries.map((entry, i) => [i, entry.shift, entry.multiplier]) })}
      file={`${name}-cct`.replaceAll(" ", "-")}
    />
  );
}
