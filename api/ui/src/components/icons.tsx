// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The icons of the interface. All are decoration. A package of thousands would weigh more than the pages. */

const PATHS = {
  overview: "M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-4H4z",
  fabric: "M12 5v5M5 19v-4h14v4M12 10v5M9.5 2.5h5v5h-5zM2.5 16.5h5v5h-5zM16.5 16.5h5v5h-5z",
  hosts: "M4 4h16v6H4zM4 14h16v6H4zM7.5 7h0M7.5 17h0M11 7h6M11 17h6",
  checks: "M4 5h16v16H4zM4 10h16M8 2.5v4M16 2.5v4M8.5 15.5l2.5 2.5 4.5-5",
  profiles: "M4 6h10M18 6h2M4 12h2M10 12h10M4 18h12M20 18h0M16 4v4M8 10v4M18 16v4",
  workloads: "M4 7h13M14 4l3 3-3 3M20 17H7M10 14l-3 3 3 3",
  campaigns: "M3 20h18M4 16l5-6 4 3 7-9M15 4h5v5",
  promote: "M12 20V5M6 10l6-6 6 6M4 21h16",
  events: "M4 5h16M4 10h16M4 15h10M4 20h7",
  settings:
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 2v4M12 18v4M2 12h4M18 12h4M5 5l2.8 2.8M16.2 16.2 19 19M5 19l2.8-2.8M16.2 7.8 19 5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  menu: "M4 6h16M4 12h16M4 18h16",
  warning: "M12 3.5 22 20.5H2zM12 10v5M12 18h0",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
