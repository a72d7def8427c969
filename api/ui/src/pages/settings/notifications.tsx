// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Addresses that are notified of events, as they stand in the settings file, and the messages to them. */

import { Button } from "@mantine/core";
import { useDeliveries, useNotificationAddresses, useTestAddress } from "@/api/queries/notifications";
import type { Delivery, NotificationAddress } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag, type Tone } from "@/components/tag";
import { Ago } from "@/components/time";
import { duration } from "@/format/time";

const STATES: Record<Delivery["state"], { tone: Tone; text: string }> = {
  pending: { tone: "warn", text: "pending" },
  sending: { tone: "active", text: "sending" },
  sent: { tone: "good", text: "sent" },
  given_up: { tone: "bad", text: "given up" },
};

const SEVERITIES: Record<Delivery["severity"], Tone> = { info: "plain", warning: "warn", error: "bad" };

export function Notifications() {
  const addresses = useNotificationAddresses();
  const deliveries = useDeliveries();
  const test = useTestAddress();
  return (
    <div className="stack">
      <p className="soft prose">
        Events go to these addresses by webhook, mail or syslog. They stand in the service's settings file, under{" "}
        <code>[notify.NAME]</code>, and are read when the service starts.
      </p>
      <ErrorNotice error={test.error} />
      {test.data && <Notice kind="info" title={`A test goes to ${test.data.address}`} />}
      <QueryView query={{ ...addresses, data: addresses.items }}>
        {(items) => (
          <DataTable
            caption="Addresses"
            columns={[
              { key: "name", title: "Address", head: true, value: (row) => row.name },
              { key: "where", title: "Receiver", value: (row) => row.where, show: (row) => <Receiver address={row} /> },
              { key: "gets", title: "Gets", value: gets },
              { key: "open", title: "Not sent", numeric: true, value: (row) => row.open },
              {
                key: "last",
                title: "Last message",
                value: (row) => row.last?.ended_at ?? null,
                show: (row) => (row.last ? <Last delivery={row.last} /> : "none yet"),
              },
              {
                key: "actions",
                title: "",
                value: () => null,
                show: (row) => (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Send a test to ${row.name}`}
                    loading={test.isPending && test.variables === row.name}
                    onClick={() => test.mutate(row.name)}
                  >
                    Send a test
                  </Button>
                ),
              },
            ]}
            rows={items}
            rowKey={(row) => row.name}
          />
        )}
      </QueryView>
      <QueryView query={{ ...deliveries, data: deliveries.items }} rows={6}>
        {(items) => (
          <>
            <DataTable
              caption="Messages"
              columns={COLUMNS}
              rows={items}
              rowKey={(row) => row.id}
              file="messages"
              empty="No message yet."
            />
            {deliveries.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => deliveries.fetchNextPage()}>
                Load older messages
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

const COLUMNS: Column<Delivery>[] = [
  { key: "created_at", title: "Since", value: (row) => row.created_at, show: (row) => <Ago at={row.created_at} /> },
  { key: "address", title: "Address", value: (row) => row.address },
  { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag {...STATES[row.state]} state={row.state} /> },
  {
    key: "severity",
    title: "Severity",
    value: (row) => row.severity,
    show: (row) => <Tag state={row.severity} tone={SEVERITIES[row.severity]} />,
  },
  {
    key: "title",
    title: "Message",
    head: true,
    value: (row) => row.title,
    show: (row) => <span className="cell-text">{row.title}</span>,
  },
  { key: "attempts", title: "Attempts", numeric: true, value: (row) => row.attempts },
  { key: "due_at", title: "Next attempt", value: nextAttempt, show: (row) => <Ago at={nextAttempt(row)} /> },
  {
    key: "problem",
    title: "Problem",
    value: (row) => row.problem,
    show: (row) => <span className="cell-text">{row.problem ?? "–"}</span>,
  },
];

function nextAttempt({ state, due_at }: Delivery): string | null {
  return state === "pending" ? due_at : null;
}

function gets({ minimum, fabrics, group_s }: NotificationAddress): string {
  const least = minimum === "error" ? "errors" : minimum === "warning" ? "warnings and errors" : "all events";
  const where = fabrics === null ? "" : fabrics.length > 0 ? ` of ${fabrics.join(", ")}` : " of no fabric";
  return `${least}${where}${group_s > 0 ? `, gathered for ${duration(group_s)}` : ""}`;
}

function Receiver({ address }: { address: NotificationAddress }) {
  return (
    <span className="cell-text">
      {address.kind}: {address.where}
    </span>
  );
}

function Last({ delivery }: { delivery: Delivery }) {
  return (
    <span className="row">
      <Tag {...STATES[delivery.state]} state={delivery.state} /> <Ago at={delivery.ended_at} />
      {delivery.problem && <span className="cell-text soft">{delivery.problem}</span>}
    </span>
  );
}
