// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A chart as a figure: drawn once its code is loaded, described in a sentence for screen readers, with its numbers as a table and a file. */

import { Skeleton, useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type ChartOption, type Ink, pageInk } from "@/charts/shared_options";
import { DownloadButtons } from "@/components/download";
import { Notice } from "@/components/notice";
import type { Cell } from "@/format/csv";
import { number } from "@/format/quantity";

export interface ChartTable {
  columns: string[];
  rows: Cell[][];
}

interface Props {
  /** A sentence that describes the chart. */
  label: string;
  caption?: ReactNode;
  option: (ink: Ink) => ChartOption;
  table: () => ChartTable;
  file: string;
  size?: "low" | "small" | "tall";
  /** A click on a mark; `data` is the mark's own item. */
  onPick?: (data: unknown) => void;
}

type Drawn = ReturnType<typeof import("@/charts/engine")["init"]>;

/** Rows of the table that are shown on the page; the file has all. */
const SHOWN = 200;

export function Chart({ label, caption, option, table, file, size, onPick }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  const scheme = useComputedColorScheme("light");
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    let gone = false;
    let watch: ResizeObserver | undefined;
    import("@/charts/engine").then(
      ({ init }) => {
        if (gone || !box.current) return;
        const chart = init(box.current);
        chart.on("click", (event: { data?: unknown }) => pick.current?.(event.data));
        watch = new ResizeObserver(() => chart.resize());
        watch.observe(box.current);
        drawn.current = chart;
        setState("ready");
      },
      () => setState("failed"),
    );
    return () => {
      gone = true;
      watch?.disconnect();
      drawn.current?.dispose();
      drawn.current = null;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme is what the page's ink depends on
  useEffect(() => {
    if (state === "ready") drawn.current?.setOption(option(pageInk()), { notMerge: true });
  }, [option, scheme, state]);

  return (
    <figure className="chart-box">
      {state === "failed" && <Notice kind="warn">The chart could not be loaded; its numbers are below.</Notice>}
      <div className={size ? `chart ${size}` : "chart"} hidden={state === "failed"}>
        {state === "loading" && <Skeleton height="100%" />}
        <div ref={box} className="drawing" role="img" aria-label={label} />
      </div>
      {caption && <figcaption>{caption}</figcaption>}
      <Numbers table={table} file={file} label={label} />
    </figure>
  );
}

function Numbers({ table, file, label }: { table: () => ChartTable; file: string; label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The numbers</summary>
      {open && <NumbersTable {...table()} file={file} label={label} />}
    </details>
  );
}

function NumbersTable({ columns, rows, file, label }: ChartTable & { file: string; label: string }) {
  const records = () => rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])));
  return (
    <div className="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section className="table-box numbers" tabIndex={0} aria-label={`Numbers: ${label}`}>
        <table className="data">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j} className={typeof cell === "number" ? "n" : undefined}>
                    {typeof cell === "number" ? number(cell) : String(cell ?? "–")}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="row ends small soft">
        <span>{rows.length > SHOWN ? `The first ${SHOWN} of ${rows.length} rows.` : ""}</span>
        <DownloadButtons file={file} columns={columns} rows={() => rows} json={records} />
      </div>
    </div>
  );
}
