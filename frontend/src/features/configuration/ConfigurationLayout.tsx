import "@/components/form/form.css";
import "@/features/configuration/configuration.css";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { PageTitle } from "@/components/PageTitle";
import { Timestamp } from "@/components/Timestamp";
import { DraftBar } from "@/features/configuration/DraftBar";
import { newestVersionQuery } from "@/features/configuration/requests";

const TABS = [
  { to: "/configuration", label: "Properties" },
  { to: "/configuration/keys", label: "Keys" },
  { to: "/configuration/transfer", label: "Import and export" },
  { to: "/configuration/history", label: "History" },
] as const;

/** The heading, the parts and the open draft of every page about the configuration. */
export function ConfigurationLayout() {
  const { data: version } = useQuery(newestVersionQuery);
  return (
    <>
      <PageTitle title="Configuration">
        <p>
          {version === undefined && "Properties of all clusters and flows"}
          {version === null && "No version yet: the first change creates one"}
          {version && (
            <>
              Version {version.number}, by {version.author} on <Timestamp time_ms={version.at_ms} />
              {version.comment !== "" && <>: {version.comment}</>}
            </>
          )}
        </p>
      </PageTitle>
      <nav className="flow-tabs" aria-label="Parts of the configuration">
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            search={({ from, to, draft }) => ({ from, to, draft })}
            activeOptions={{ exact: true, includeSearch: false }}
            resetScroll={false}
          >
            {label}
          </Link>
        ))}
      </nav>
      <DraftBar />
      <ErrorBoundary what="This part of the configuration">
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </ErrorBoundary>
    </>
  );
}
