// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The inside of a host: its matrix of adapters and endpoints, and the links that are not normal, with what to do. */

import "@/pages/hosts/hosts.css";
import { Button } from "@mantine/core";
import { useHostPaths } from "@/api/queries/hosts";
import type { HostPaths } from "@/api/types";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import {
  cellTone,
  linkState,
  oddLinks,
  pathVerdictText,
  pathVerdictTone,
  placeText,
  rateText,
  unmeasuredGpus,
} from "@/pages/hosts/paths";

export function HostMatrix({ fabric, node, onClose }: { fabric: string; node: string; onClose: () => void }) {
  const paths = useHostPaths(fabric, node);
  return (
    <section className="panel stack" aria-label={`Inside ${node}`}>
      <div className="row ends">
        <h2>Inside {node}</h2>
        <Button size="xs" variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
      <QueryView query={paths} rows={6}>
        {(found) => <Inside found={found} />}
      </QueryView>
    </section>
  );
}

function Inside({ found }: { found: HostPaths }) {
  const remarks = [
    ...Object.entries(found.not_measured).map(([what, why]) => `${what} was not measured: ${why}.`),
    ...found.remarks,
  ];
  return (
    <div className="stack">
      <p>
        <Tag state={pathVerdictText(found.verdict)} tone={pathVerdictTone(found.verdict)} />{" "}
        {found.sentence || "This host was not tested yet."}
      </p>
      {found.last_try && <Notice kind="warn">Later tests measured nothing. {found.last_try}</Notice>}
      <Facts
        facts={[
          ["Tested", found.measured_at ? <At key="at" at={found.measured_at} /> : "never"],
          ["Model", found.model ?? "not known"],
          [
            "Compared with",
            found.baseline ? `the median of ${found.baseline.hosts} hosts of its model, ${found.baseline.date}` : "nothing yet",
          ],
        ]}
      />
      {found.cells.length > 0 && <Matrix found={found} />}
      {oddLinks(found.links).length > 0 && (
        <ul className="plain-list">
          {oddLinks(found.links).map((link) => (
            <li key={link.link} className="finding">
              <Tag state={linkState(link).text} tone={linkState(link).tone} />
              <div className="stack tight">
                <p>
                  {link.name}
                  {link.cause && <span className="soft"> ({link.cause.replaceAll("-", " ")})</span>}
                </p>
                {link.advice && (
                  <p>
                    <strong>To do:</strong> {link.advice}.
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {unmeasuredGpus(found) > 0 && found.cells.length > 0 && (
        <p className="soft">
          {unmeasuredGpus(found)} of its {found.gpus} GPUs were not measured; the key gpus of the inventory names a program for
          them.
        </p>
      )}
      {remarks.map((text) => (
        <p key={text} className="soft">
          {text}
        </p>
      ))}
      {found.verdict === "slow" &&
        found.not_readable.map(({ what, command }) => (
          <p key={what} className="soft">
            {what}: only root can read it, by <code>{command}</code>
          </p>
        ))}
    </div>
  );
}

function Matrix({ found }: { found: HostPaths }) {
  const cells = new Map(found.cells.map((cell) => [`${cell.adapter}\n${cell.endpoint}`, cell]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <section className="table-box" tabIndex={0} aria-label={`Matrix of ${found.node}`}>
      <table className="data path-matrix">
        <caption className="hidden-text">Bandwidth and latency by adapter and endpoint</caption>
        <thead>
          <tr>
            <th scope="col">Adapter</th>
            {found.endpoints.map((endpoint) => (
              <th key={endpoint} scope="col">
                {endpoint}
                <Place found={found} name={endpoint} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.adapters.map((adapter) => (
            <tr key={adapter}>
              <th scope="row">
                {adapter}
                <Place found={found} name={adapter} />
              </th>
              {found.endpoints.map((endpoint) => {
                const cell = cells.get(`${adapter}\n${endpoint}`);
                return (
                  <td key={endpoint} className={`path-${cellTone(cell)}`}>
                    {cell?.bandwidth_gbps == null ? (
                      <span className="soft">not measured</span>
                    ) : (
                      <>
                        {cell.state === "abnormal" && "✕ "}
                        <strong>{rateText(cell.bandwidth_gbps)}</strong>
                        {cell.baseline_bandwidth_gbps !== null && (
                          <span className="soft"> of {rateText(cell.baseline_bandwidth_gbps)}</span>
                        )}{" "}
                        Gb/s
                        <br />
                        <span className="soft">{cell.latency_us?.toFixed(2)} µs</span>
                      </>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Where an adapter, a GPU or a memory is in its host. */
function Place({ found, name }: { found: HostPaths; name: string }) {
  const text = placeText(found.parts, name);
  return text && <div className="soft path-place">{text}</div>;
}
