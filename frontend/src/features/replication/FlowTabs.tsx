import { Link } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";

const TABS = [
  { tab: undefined, label: "Overview" },
  { tab: "topics", label: "Topics" },
  { tab: "groups", label: "Consumer groups" },
  { tab: "tasks", label: "Tasks" },
  { tab: "orders", label: "Orders" },
  { tab: "events", label: "Events" },
  { tab: "configuration", label: "Configuration" },
] as const;

/** Links to the parts of a flow. */
export function FlowTabs({ source, target }: FlowAddress) {
  return (
    <nav className="flow-tabs" aria-label={`Parts of ${source} to ${target}`}>
      {TABS.map(({ tab, label }) => (
        <Link
          key={label}
          to="/replications/$source/$target"
          params={{ source, target }}
          search={(search) => ({ from: search.from, to: search.to, tab })}
          activeOptions={{ includeSearch: true, explicitUndefined: true }}
          resetScroll={false}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
