// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The frame of every page but the login: the top bar, banners of trial runs, and links to other pages. */

import "@/app/shell.css";
import { Drawer } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Navigate, Outlet, ScrollRestoration, useLocation } from "react-router";
import type { ServiceEvent } from "@/api/event_stream";
import { useLive } from "@/api/events";
import { sentence } from "@/api/problem";
import { useAllTopics, useFabrics } from "@/api/queries/fabrics";
import { useSession } from "@/api/queries/session";
import { onUnauthenticated } from "@/api/request";
import { ConnectionBar } from "@/app/connection_bar";
import { ExperimentBanner } from "@/app/experiment_banner";
import { Nav } from "@/app/nav";
import { ResetNotice } from "@/app/reset_notice";
import { TopBar } from "@/app/top_bar";
import { Notice } from "@/components/notice";

export function Shell() {
  const session = useSession();
  const place = useLocation();
  const client = useQueryClient();
  const [expired, setExpired] = useState(false);
  useEffect(
    () =>
      onUnauthenticated(() => {
        setExpired(client.getQueryData(["session"]) !== null);
        client.setQueryData(["session"], null);
      }),
    [client],
  );
  if (session.data) return <Inside />;
  if (session.data === null) {
    const back = place.pathname + place.search;
    return <Navigate to={back === "/" ? "/login" : `/login?back=${encodeURIComponent(back)}`} state={{ expired }} replace />;
  }
  if (session.error) {
    return (
      <main className="broken">
        <Notice kind="bad">{sentence(session.error)}</Notice>
      </main>
    );
  }
  return null;
}

/** Trends of checks take the service a while, so only events of checks make them stale, and what a fabric's watcher reports makes
 * nothing of other fabrics stale. */
function staleBy({ kind, data }: ServiceEvent): string[][] {
  if (kind.startsWith("check.")) return [["checks"]];
  const { fabric } = (data ?? {}) as { fabric?: unknown };
  if (WATCHED.test(kind) && typeof fabric === "string") return [["fabrics", fabric]];
  return [["fabrics"], ["jobs"], ["promotions"]];
}

const WATCHED = /^(device|link|sm|fabric)\./;

function Inside() {
  const [menu, setMenu] = useState(false);
  const place = useLocation();
  const fabrics = useFabrics().items ?? [];
  const names = fabrics.map(({ name }) => name);
  // One stream for all that many pages show: over HTTP/1.1 a browser has six connections to a service, whatever the number of tabs.
  const link = useLive(useAllTopics(), staleBy);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(() => setMenu(false), [place.pathname]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="shell-head">
        <TopBar onMenu={() => setMenu(true)} />
        <ConnectionBar link={link} />
        {names.map((name) => (
          <ExperimentBanner key={name} fabric={name} />
        ))}
        {fabrics.map((fabric) => (
          <ResetNotice key={fabric.name} fabric={fabric} />
        ))}
      </header>
      <nav className="shell-nav" aria-label="Pages">
        <Nav />
      </nav>
      <Drawer opened={menu} onClose={() => setMenu(false)} size="16rem" title="Pages">
        <nav aria-label="Pages">
          <Nav />
        </nav>
      </Drawer>
      <main className="shell-main" id="content" tabIndex={-1}>
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </main>
      <ScrollRestoration />
    </div>
  );
}
