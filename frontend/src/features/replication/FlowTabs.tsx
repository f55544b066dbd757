import { Link } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { isTabHere, useServiceOf } from "@/components/flow/service";

const TABS = [
  { tab: undefined, label: "Overview" },
  { tab: "topics", label: "Topics" },
  { tab: "groups", label: "Consumer groups" },
  { tab: "tasks", label: "Tasks" },
  { tab: "orders", label: "Orders" },
  { tab: "events", label: "Events" },
  { tab: "configuration", label: "Configuration" },
] as const;

/** Links to the parts of a flow that this service has. */
export function FlowTabs({ source, target }: FlowAddress) {
  const service = useServiceOf({ source, target });
  return (
    <nav className="flow-tabs" aria-label={`Parts of ${source} to ${target}`}>
      {TABS.filter(({ tab }) => isTabHere(service, tab)).map(({ tab, label }) => (
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
