// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shows on every page that the service is unreachable, so that what the page shows may be out of date. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { LinkState } from "@/api/event_stream";

export function ConnectionBar({ link }: { link: LinkState }) {
  const client = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (link === "live" && wasLost.current) void client.invalidateQueries();
    wasLost.current = link === "lost";
  }, [link, client]);
  return (
    <div role="status" className={link === "lost" ? "connection" : undefined}>
      {link === "lost" && (
        <>
          <strong>No connection to the service.</strong> This page may be out of date; it reconnects automatically. Fabrics keep
          the profiles they hold.
        </>
      )}
    </div>
  );
}
