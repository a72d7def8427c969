// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The other end of a cable. */

import { Link } from "react-router";
import type { DevicePort } from "@/api/types";

export function PeerLink({ fabric, peer }: { fabric: string; peer: DevicePort["peer"] }) {
  if (!peer) return <>–</>;
  return (
    <>
      <Link to={`/fabrics/${encodeURIComponent(fabric)}/devices/${encodeURIComponent(peer.guid)}`}>{peer.name}</Link>, port{" "}
      {peer.port}
    </>
  );
}
