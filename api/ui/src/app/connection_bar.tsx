// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Says on every page that the service is out of reach: what is shown was so before, and may be so no longer. */

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
          <strong>No connection to the service.</strong> What you see may be out of date; fabrics keep what they hold. This page
          tries again by itself.
        </>
      )}
    </div>
  );
}
