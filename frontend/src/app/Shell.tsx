import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { Announcer } from "@/app/Announcer";
import { LiveStatus } from "@/app/LiveStatus";
import { Nav } from "@/app/Nav";
import { OutageNote } from "@/app/OutageNote";
import { Finder } from "@/app/palette/Finder";
import { SessionEnded } from "@/app/SessionEnded";
import { TitleCount } from "@/app/TitleCount";
import { useZone, ZoneSwitch } from "@/app/ZoneSwitch";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { TimeRangeSelect } from "@/components/TimeRangeSelect";
import { useConnectionWord } from "@/live/context";

/** The layout around every page. */
export function Shell() {
  const word = useConnectionWord();
  const zone = useZone();
  return (
    <div className="shell" data-connection={word}>
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <Nav />
      <div className="shell-side">
        <header className="topbar">
          <Finder />
          <div className="topbar-tools">
            <LiveStatus />
            <TimeRangeSelect key={`range ${zone}`} />
            <ZoneSwitch />
          </div>
        </header>
        <main id="page" className="page" tabIndex={-1}>
          <OutageNote />
          <ErrorBoundary what="The page">
            <Suspense key={zone} fallback={null}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <Announcer />
      <TitleCount />
      <SessionEnded />
    </div>
  );
}
