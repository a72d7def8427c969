// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Buttons that download a table's rows as CSV and their data as JSON. */

import { type Cell, csv, download } from "@/format/csv";

interface Props {
  file: string;
  columns: string[];
  rows: () => Cell[][];
  json: () => unknown;
}

export function DownloadButtons({ file, columns, rows, json }: Props) {
  return (
    <span className="row">
      <button type="button" className="plain-link" onClick={() => download(`${file}.csv`, csv(columns, rows()), "text/csv")}>
        <span className="hidden-text">{file} as </span>CSV
      </button>
      <button
        type="button"
        className="plain-link"
        onClick={() => download(`${file}.json`, `${JSON.stringify(json(), null, 2)}\n`, "application/json")}
      >
        <span className="hidden-text">{file} as </span>JSON
      </button>
    </span>
  );
}
