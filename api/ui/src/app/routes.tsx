// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The address of every page. Pages are loaded when they are first visited. */

import { type RouteObject, useParams } from "react-router";
import { ErrorPage } from "@/app/error_page";
import { ForOperators } from "@/app/for_operators";
import { Shell } from "@/app/shell";

/** A page starts over for other parameters: whatever somebody has typed or done there belongs to one entity. */
function startingOver(Page: React.ComponentType) {
  return function PageOfEntity() {
    return <Page key={JSON.stringify(useParams())} />;
  };
}

/** A page's module exports one component, as its default. */
const page = (load: () => Promise<{ default: React.ComponentType }>) => async () => ({
  Component: startingOver((await load()).default),
});

export const routes: RouteObject[] = [
  { path: "/login", lazy: page(() => import("@/pages/login/login")), errorElement: <ErrorPage />, HydrateFallback: () => null },
  {
    path: "/welcome",
    lazy: page(() => import("@/pages/login/welcome")),
    errorElement: <ErrorPage />,
    HydrateFallback: () => null,
  },
  { path: "/setup", lazy: page(() => import("@/pages/login/setup")), errorElement: <ErrorPage />, HydrateFallback: () => null },
  {
    path: "/",
    element: <Shell />,
    errorElement: <ErrorPage />,
    HydrateFallback: () => null,
    children: [
      { index: true, lazy: page(() => import("@/pages/overview/overview")) },
      { path: "fabrics", lazy: page(() => import("@/pages/fabric/first_fabric")) },
      { path: "fabrics/import", lazy: page(() => import("@/pages/import/import")) },
      { path: "fabrics/import/:id", lazy: page(() => import("@/pages/import/draft")) },
      { path: "fabrics/:fabric/versions/:version", lazy: page(() => import("@/pages/fabric/version")) },
      { path: "fabrics/:fabric", lazy: page(() => import("@/pages/fabric/fabric")) },
      { path: "fabrics/:fabric/devices/:guid", lazy: page(() => import("@/pages/fabric/device")) },
      { path: "hosts", lazy: page(() => import("@/pages/hosts/hosts")) },
      { path: "checks", lazy: page(() => import("@/pages/checks/checks")) },
      { path: "checks/:name", lazy: page(() => import("@/pages/checks/check")) },
      { path: "checks/:name/nights/:date", lazy: page(() => import("@/pages/checks/night")) },
      { path: "profiles", lazy: page(() => import("@/pages/profiles/profiles")) },
      { path: "profiles/suggest", lazy: page(() => import("@/pages/suggest/suggest")) },
      { path: "profiles/:name", lazy: page(() => import("@/pages/profiles/profile")) },
      { path: "workloads", lazy: page(() => import("@/pages/workloads/workloads")) },
      { path: "workloads/:name", lazy: page(() => import("@/pages/workloads/workload")) },
      { path: "campaigns", lazy: page(() => import("@/pages/campaigns/campaigns")) },
      { path: "campaigns/:id", lazy: page(() => import("@/pages/campaigns/campaign")) },
      { path: "campaigns/:id/compare", lazy: page(() => import("@/pages/campaigns/compare_trials")) },
      { path: "campaigns/:id/trials/:number", lazy: page(() => import("@/pages/campaigns/trial")) },
      { path: "promote", lazy: page(() => import("@/pages/promote/promote")) },
      { path: "events", lazy: page(() => import("@/pages/events/events")) },
      { path: "settings", lazy: page(() => import("@/pages/settings/settings")) },
      {
        element: <ForOperators />,
        children: [
          { path: "checks/new", lazy: page(() => import("@/pages/checks/new_check")) },
          { path: "checks/:name/edit", lazy: page(() => import("@/pages/checks/edit_check")) },
          { path: "profiles/new", lazy: page(() => import("@/pages/profiles/new_profile")) },
          { path: "profiles/:name/edit", lazy: page(() => import("@/pages/profiles/edit_profile")) },
          { path: "workloads/new", lazy: page(() => import("@/pages/workloads/new_workload")) },
          { path: "workloads/:name/edit", lazy: page(() => import("@/pages/workloads/edit_workload")) },
          { path: "campaigns/new", lazy: page(() => import("@/pages/campaigns/new_campaign")) },
          { path: "campaigns/:id/edit", lazy: page(() => import("@/pages/campaigns/edit_campaign")) },
        ],
      },
      { path: "*", lazy: page(() => import("@/pages/not_found")) },
    ],
  },
];
