// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Columns that a table of ports and one of links share. */

import type { Column } from "@/components/data_table";
import { number, percent } from "@/format/quantity";

interface LinkValues {
  rate: string | null;
  rate_gbps: number | null;
  congestion: number | null;
}

export function linkColumns<T extends LinkValues>(): Column<T>[] {
  return [
    { key: "rate", title: "Link", value: (row) => row.rate },
    {
      key: "rate_gbps",
      title: "Data rate",
      unit: "Gb/s",
      numeric: true,
      value: (row) => row.rate_gbps,
      show: (row) => number(row.rate_gbps),
    },
    {
      key: "congestion",
      title: "Congested",
      numeric: true,
      value: (row) => row.congestion,
      show: (row) => percent(row.congestion),
    },
  ];
}
