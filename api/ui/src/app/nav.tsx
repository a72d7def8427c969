// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Links to the pages. */

import { NavLink } from "react-router";
import { useWaitingApprovals } from "@/api/queries/promotions";
import { Icon, type IconName } from "@/components/icons";

const PAGES: { to: string; text: string; icon: IconName }[] = [
  { to: "/", text: "Overview", icon: "overview" },
  { to: "/fabrics", text: "Fabric", icon: "fabric" },
  { to: "/hosts", text: "Hosts", icon: "hosts" },
  { to: "/checks", text: "Checks", icon: "checks" },
  { to: "/profiles", text: "Profiles", icon: "profiles" },
  { to: "/workloads", text: "Workloads", icon: "workloads" },
  { to: "/campaigns", text: "Campaigns", icon: "campaigns" },
  { to: "/promote", text: "Compare and promote", icon: "promote" },
  { to: "/events", text: "Events and audit", icon: "events" },
  { to: "/settings", text: "Settings", icon: "settings" },
];

export function Nav() {
  const waiting = useWaitingApprovals().length;
  return (
    <ul className="nav-list">
      {PAGES.map(({ to, text, icon }) => (
        <li key={to}>
          <NavLink to={to} end={to === "/"}>
            <Icon name={icon} />
            {text}
            {to === "/promote" && waiting > 0 && (
              <span className="tag warn">
                {waiting}
                <span className="hidden-text">{waiting === 1 ? " waits" : " wait"} for your approval</span>
              </span>
            )}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}
