// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The bar at the top: a link home, the color scheme, and who is logged in. */

import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { Link, useNavigate } from "react-router";
import { useLogout, useSession } from "@/api/queries/session";
import { Icon } from "@/components/icons";

export function TopBar({ onMenu }: { onMenu: () => void }) {
  const user = useSession().data?.user;
  const logout = useLogout();
  const navigate = useNavigate();
  return (
    <div className="shell-bar">
      <ActionIcon className="menu-button" variant="subtle" size="lg" aria-label="Pages" onClick={onMenu}>
        <Icon name="menu" />
      </ActionIcon>
      <Link to="/" className="brand">
        <img src="/icon.svg" alt="" width={26} height={26} />
        ibcc
      </Link>
      <SchemeSwitch />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" leftSection={<Icon name="user" />} aria-label={`Account: ${user?.username}, ${user?.role}`}>
            <span className="user-name">{user?.username}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {/* In an item, as a menu may hold nothing but items: screen readers would pass over a heading. */}
          <Menu.Item component={Link} to="/settings?tab=account">
            Account: {user?.username}, {user?.role}
          </Menu.Item>
          <Menu.Item component="a" href="/api/v1/docs" target="_blank" rel="noreferrer">
            REST API
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => logout.mutate(undefined, { onSettled: () => navigate("/login") })}>Log out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function SchemeSwitch() {
  // Otherwise Mantine stops transitions by a <style> element for a moment, which the security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      aria-label={dark ? "Light colors" : "Dark colors"}
      onClick={() => setColorScheme(dark ? "light" : "dark")}
    >
      <Icon name={dark ? "sun" : "moon"} />
    </ActionIcon>
  );
}
