// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The devices of a fabric; the service searches them. */

import { Checkbox, Select, TextInput } from "@mantine/core";
import { Link } from "react-router";
import { useDevices, useFabricState } from "@/api/queries/fabrics";
import type { DeviceRow } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { firmwareText, kindText, throttlesText } from "@/format/device";
import { DEVICE_STATE_NAMES, stateMeaning } from "@/format/device_state";
import { DIALECTS, dialectText } from "@/format/dialect";
import { AskDevices } from "@/pages/fabric/ask_devices";
import { MARKS, Marks, markWords } from "@/pages/fabric/marks";

export function DeviceList({ fabric }: { fabric: string }) {
  const address = useAddress();
  const q = useTyped(address, "q");
  const kind = address.get("kind");
  const state = address.get("state");
  const mark = address.get("mark");
  const firmware = useTyped(address, "firmware");
  const dialect = address.get("dialect");
  const aggregation = address.get("aggregation") === "shown" || kind === "aggregation";
  const devices = useDevices(fabric, { q: q.settled, kind, state, mark, firmware: firmware.settled, dialect, aggregation });
  const dialects = useFabricState(fabric).data?.dialects;
  return (
    <div className="stack">
      <div className="row bottom">
        <TextInput
          className="grow"
          label="Name, GUID or LID"
          value={q.value}
          onChange={(event) => q.type(event.currentTarget.value)}
        />
        <Select
          label="Kind"
          data={[
            { value: "", label: "All" },
            { value: "switch", label: "Switch" },
            { value: "ca", label: "Channel adapter (CA)" },
            { value: "aggregation", label: "Aggregation node" },
          ]}
          value={kind}
          onChange={(value) => address.set({ kind: value }, { replace: true })}
        />
        <Select
          label="State"
          data={[{ value: "", label: "All" }, ...DEVICE_STATE_NAMES]}
          value={state}
          onChange={(value) => address.set({ state: value }, { replace: true })}
        />
        <Select
          label="Mark"
          data={[{ value: "", label: "All" }, ...Object.entries(MARKS).map(([value, { word }]) => ({ value, label: word }))]}
          value={mark}
          onChange={(value) => address.set({ mark: value }, { replace: true })}
        />
        <TextInput
          label="Firmware"
          placeholder="31.2012 or unknown"
          value={firmware.value}
          onChange={(event) => firmware.type(event.currentTarget.value)}
        />
        <Select
          label="Attributes"
          data={[{ value: "", label: "All" }, ...Object.entries(DIALECTS).map(([value, label]) => ({ value, label }))]}
          value={dialect}
          onChange={(value) => address.set({ dialect: value }, { replace: true })}
        />
        <Checkbox
          label="Aggregation nodes"
          checked={aggregation}
          disabled={kind === "aggregation"}
          onChange={(event) => address.set({ aggregation: event.currentTarget.checked ? "shown" : null }, { replace: true })}
        />
      </div>
      {dialects?.reported && <AskDevices fabric={fabric} />}
      <QueryView query={{ ...devices, data: devices.items }} rows={8}>
        {(rows) => (
          <>
            <DataTable
              caption={`Devices of ${fabric}`}
              className="device-table"
              columns={columns(fabric)}
              rows={rows}
              rowKey={(row) => `${row.guid} ${row.port}`}
              file={`${fabric}-devices`}
              empty="No device matches."
            />
            {devices.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => devices.fetchNextPage()}>
                Load more devices
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

/** Marks that the state does not tell. */
function more({ marks, state }: DeviceRow): DeviceRow["marks"] {
  return marks.filter((mark) => mark !== "missing" && mark !== state.replace("_", "-"));
}

function columns(fabric: string): Column<DeviceRow>[] {
  return [
    {
      key: "name",
      title: "Name",
      head: true,
      value: (row) => row.name,
      show: (row) => (
        <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(row.guid)}`}>{row.name}</Link>
      ),
    },
    {
      key: "state",
      title: "State",
      value: (row) => [row.present ? row.state : "missing", markWords(more(row))].filter(Boolean).join(", "),
      show: (row) => (
        <span className="row">
          {row.present ? <Tag state={row.state} title={stateMeaning(row.state)} /> : <Tag state="missing" tone="bad" />}
          <Marks marks={more(row)} />
        </span>
      ),
    },
    {
      key: "detail",
      title: "Detail",
      value: (row) => row.detail ?? "",
      show: (row) => row.detail && <div className="sentence cut-anywhere">{row.detail}</div>,
    },
    { key: "port", title: "Port", numeric: true, value: (row) => row.port || null },
    { key: "kind", title: "Kind", value: kindText },
    { key: "lid", title: "LID", numeric: true, value: (row) => row.lid },
    { key: "rate", title: "Link", value: (row) => row.rate ?? "unknown" },
    { key: "firmware", title: "Firmware", value: firmwareText },
    { key: "dialect", title: "Attributes", value: dialectText },
    { key: "throttles", title: "Throttles on BECNs", value: (row) => throttlesText(row.throttles, row.node_kind) },
    { key: "guid", title: "GUID", value: (row) => row.guid, show: (row) => <code className="nowrap">{row.guid}</code> },
  ];
}
