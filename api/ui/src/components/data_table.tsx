// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A table that sorts by a click on a column's header and offers its rows as a file. */

import { Fragment, type ReactNode, useMemo, useState } from "react";
import { DownloadButtons } from "@/components/download";
import type { Cell } from "@/format/csv";

export interface Column<T> {
  key: string;
  /** Empty for a column of buttons, which is neither sorted nor exported. */
  title: string;
  unit?: string;
  /** The value to sort by and to export. */
  value: (row: T) => Cell;
  /** Returns what the cell shows instead of the value. */
  show?: (row: T) => ReactNode;
  numeric?: boolean;
  /** True if the cell is its row's header. */
  head?: boolean;
}

interface Props<T> {
  caption: string;
  columns: Column<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  rowClass?: (row: T) => string | undefined;
  /** Without it, the rows keep the service's order. */
  sort?: { key: string; down: boolean };
  /** Name of the files to download, without extension; without it there are none. */
  file?: string;
  empty?: ReactNode;
  className?: string;
  /** Number of rows shown before "Show more". */
  atOnce?: number;
}

export function compareCells(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export function DataTable<T>({
  caption,
  columns,
  rows,
  rowKey,
  rowClass,
  sort: first,
  file,
  empty,
  className,
  atOnce = 100,
}: Props<T>) {
  const [sort, setSort] = useState(first ?? null);
  const [most, setMost] = useState(atOnce);
  const sorted = useMemo(() => {
    const column = columns.find(({ key }) => key === sort?.key);
    if (!column || !sort) return rows;
    const missing = (cell: Cell) => cell === null || cell === undefined;
    return [...rows].sort((a, b) => {
      const [left, right] = [column.value(a), column.value(b)];
      // Missing values come last, in either direction.
      return compareCells(left, right) * (sort.down && !missing(left) && !missing(right) ? -1 : 1);
    });
  }, [rows, columns, sort]);
  if (rows.length === 0 && empty) return <div className="empty">{empty}</div>;
  const exported = columns.filter(({ title }) => title !== "");
  const turn = (key: string) => setSort(sort?.key === key ? { key, down: !sort.down } : { key, down: false });
  return (
    <div className="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section className={`table-box ${className ?? ""}`} tabIndex={0} aria-label={caption}>
        <table className="data">
          <caption className="hidden-text">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ key, title, unit, numeric }) => (
                <th
                  key={key}
                  scope="col"
                  className={numeric ? "n" : undefined}
                  aria-sort={sort?.key === key ? (sort.down ? "descending" : "ascending") : undefined}
                >
                  {title ? (
                    <button type="button" className="sorter" onClick={() => turn(key)}>
                      <Breakable text={title} /> {unit && <span className="unit">[{unit}]</span>}
                      <span aria-hidden="true">{sort?.key === key ? (sort.down ? " ▼" : " ▲") : ""}</span>
                    </button>
                  ) : (
                    <span className="hidden-text">Actions</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, most).map((row) => (
              <tr key={rowKey(row)} className={rowClass?.(row)}>
                {columns.map((column) => {
                  const content = column.show ? column.show(row) : (column.value(row) ?? "–").toString();
                  return column.head ? (
                    <th key={column.key} scope="row" className={column.numeric ? "n" : undefined}>
                      {content}
                    </th>
                  ) : (
                    <td key={column.key} className={column.numeric ? "n" : undefined} data-title={column.title}>
                      {content}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="row ends small soft">
        <span>
          {sorted.length > most ? `${most} of ${sorted.length} rows. ` : ""}
          {sorted.length > most && (
            <button type="button" className="plain-link" onClick={() => setMost(most + 400)}>
              Show more
            </button>
          )}
        </span>
        {file && (
          <DownloadButtons
            file={file}
            columns={exported.map(({ key }) => key)}
            rows={() => sorted.map((row) => exported.map((column) => column.value(row)))}
            json={() => sorted}
          />
        )}
      </div>
    </div>
  );
}

/** A title that may be the name of a parameter, such as cct.curve.full_scale_us, which lines may part behind dots and underscores. */
function Breakable({ text }: { text: string }) {
  const parts = text.split(/(?<=[._])/);
  return parts.map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
