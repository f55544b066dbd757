import { ActionIcon, Tooltip } from "@mantine/core";
import {
  IconAdjustmentsHorizontal,
  IconApi,
  IconArrowsLeftRight,
  IconCpu,
  IconLogout,
  type IconProps,
  IconServer2,
  IconSettings,
  IconWorldShare,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { csrfToken } from "@/api/client";
import { meQuery } from "@/api/queries";
import { ThemeMenu } from "@/app/theme/ThemeMenu";

interface Place {
  to: "/replications" | "/clusters" | "/drivers" | "/services" | "/configuration" | "/settings";
  label: string;
  icon: ComponentType<IconProps>;
}

const MONITOR: readonly Place[] = [
  { to: "/replications", label: "Replications", icon: IconArrowsLeftRight },
  { to: "/clusters", label: "Clusters", icon: IconServer2 },
  { to: "/drivers", label: "Drivers", icon: IconCpu },
  { to: "/services", label: "Services", icon: IconWorldShare },
];
const MANAGE: readonly Place[] = [
  { to: "/configuration", label: "Configuration", icon: IconAdjustmentsHorizontal },
  { to: "/settings", label: "Settings", icon: IconSettings },
];

export function Nav() {
  return (
    <nav className="nav" aria-label="Main">
      <div className="nav-bar">
        <Link
          to="/replications"
          className="brand"
          aria-label="Streams Replication Manager"
          search={keepRange}
        >
          <span className="brand-mark">
            <IconArrowsLeftRight size={18} stroke={2.2} aria-hidden />
          </span>
          <span className="brand-name">Streams Replication Manager</span>
        </Link>
        <div className="nav-places">
          <p className="nav-group">Monitor</p>
          {MONITOR.map(placeLink)}
          <p className="nav-group">Manage</p>
          {MANAGE.map(placeLink)}
          <p className="nav-group">Develop</p>
          <a className="nav-link" href="/swagger/">
            <IconApi size={18} stroke={1.7} aria-hidden />
            API reference
          </a>
        </div>
        <Account />
      </div>
    </nav>
  );
}

function placeLink({ to, label, icon: Icon }: Place) {
  return (
    <Link
      key={to}
      to={to}
      search={keepRange}
      className="nav-link"
      activeOptions={{ exact: false, includeSearch: false }}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
      {label}
    </Link>
  );
}

/** Keeps the time range across pages, but not the filters of one page. */
function keepRange(search: { from?: string | number | undefined; to?: number | undefined }) {
  return { from: search.from, to: search.to };
}

function Account() {
  const { data: me } = useQuery(meQuery);
  return (
    <div className="account">
      {me !== undefined && (
        <span className="avatar" aria-hidden>
          {me.username.charAt(0).toUpperCase()}
        </span>
      )}
      <span className="account-name">
        <strong>{me?.username}</strong>
        <span>{me?.role}</span>
      </span>
      <ThemeMenu />
      <form method="post" action="/logout">
        <input type="hidden" name="csrfmiddlewaretoken" defaultValue={csrfToken()} />
        <Tooltip label="Sign out">
          <ActionIcon type="submit" variant="subtle" color="gray" size={32} aria-label="Sign out">
            <IconLogout size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </form>
    </div>
  );
}
