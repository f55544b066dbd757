import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { driversQuery, meQuery } from "@/api/queries";
import type { Driver } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { TermNote } from "@/components/definition/TermNote";
import { Figure, Unknown } from "@/components/Figure";
import { PageTitle } from "@/components/PageTitle";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";
import { DrainCell } from "@/features/drivers/DrainCell";
import { GoneCard } from "@/features/drivers/GoneCard";
import { MatrixCard } from "@/features/drivers/MatrixCard";
import { ErrorsCard, MovesCard } from "@/features/drivers/MovesCard";
import { RestartButton } from "@/features/drivers/RestartButton";
import { bytes, percent } from "@/lib/format";
import { duration, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** A driver reports every second; Redis expires the report after ten. */
const LATE_MS = 5_000;

const LABELS = stackedLabels([
  "Driver",
  "Role",
  "State",
  "Host and process",
  "Targets and labels",
  "Tasks",
  "Load",
  "CPU",
  "Memory",
  "Running for",
  "Version",
  "Orders",
]);

export function DriversPage() {
  const answer = useQuery(driversQuery);
  return (
    <>
      <PageTitle title="Drivers">
        <div className="page-actions">
          <ListCommands list="drivers" />
        </div>
        <p>Processes that plan flows and copy records</p>
      </PageTitle>
      <section className="card" aria-label="Drivers">
        <Answered what="drivers" answer={answer} rows={2}>
          {({ items }) =>
            items.length > 0 ? (
              <DriversTable drivers={items} />
            ) : (
              <EmptyState icon={IconCpu} title="No driver reports">
                Nothing is copied while no driver runs. Start one with <code>srm driver</code>.
              </EmptyState>
            )
          }
        </Answered>
      </section>
      {answer.data !== undefined && <MatrixCard drivers={answer.data.items} />}
      <ErrorsCard />
      <MovesCard />
      <GoneCard />
    </>
  );
}

function DriversTable({ drivers }: { drivers: readonly Driver[] }) {
  const now_ms = useNow();
  const me = useQuery(meQuery);
  const mayAct = me.data?.permissions.includes("drivers.act") ?? false;
  const hasOrders = mayAct || drivers.some(({ drain }) => drain);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label="Table of drivers" tabIndex={0} style={LABELS}>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Driver</th>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <th scope="col">Host and process</th>
            <th scope="col">Targets and labels</th>
            <th scope="col" className="numeric">
              Tasks
            </th>
            <th
              scope="col"
              className="numeric"
              title="Percent of a core that its source tasks need, measured"
            >
              Load <TermNote term="driver_load" name="Load" />
            </th>
            <th scope="col" className="numeric">
              CPU
            </th>
            <th scope="col" className="numeric">
              Memory
            </th>
            <th scope="col" className="numeric">
              Running for
            </th>
            <th scope="col">Version</th>
            {hasOrders && <th scope="col">{mayAct ? "Drain and restart" : "Drain"}</th>}
          </tr>
        </thead>
        <tbody>
          {byParent(drivers).map(({ driver, siblings }) => (
            <tr key={`${driver.id} ${driver.role}`}>
              <th scope="row">{driver.id}</th>
              <td>{driver.role}</td>
              <td>
                <DriverState driver={driver} now_ms={now_ms} />
              </td>
              <td className="muted">
                {driver.host ?? "unknown"}, {driver.pid ?? "unknown"}
              </td>
              <td className="muted">{[...driver.targets, ...labelsOf(driver)].join(", ")}</td>
              <td className="numeric">{driver.tasks}</td>
              <td className="numeric">
                <Figure
                  value={driver.load_percent === null ? null : driver.load_percent / 100}
                  as={percent}
                />
              </td>
              <td className="numeric">
                <Figure value={driver.cpu_ratio} as={percent} />
              </td>
              <td className="numeric">
                <Figure value={driver.rss_bytes} as={bytes} />
              </td>
              <td className="numeric">
                <RunningFor started_ms={driver.started_ms} now_ms={now_ms} />
              </td>
              <td className="muted">{driver.version}</td>
              {hasOrders && siblings.length > 0 && (
                <td rowSpan={siblings.length}>
                  <div className="driver-orders">
                    <DrainCell
                      driver={driver.parent}
                      isDrained={siblings.some((each) => each.drain)}
                      mayAct={mayAct}
                    />
                    {mayAct && <RestartButton driver={driver.parent} />}
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The processes driver by driver; the first one of each driver comes with all of them. */
function byParent(drivers: readonly Driver[]) {
  const parents = [...new Set(drivers.map((driver) => driver.parent))].sort();
  return parents.flatMap((parent) => {
    const siblings = drivers.filter((driver) => driver.parent === parent);
    return siblings.map((driver, place) => ({ driver, siblings: place === 0 ? siblings : [] }));
  });
}

function labelsOf(driver: Driver): string[] {
  return Object.entries(driver.labels).map(([key, value]) => `${key}=${value}`);
}

function RunningFor({ started_ms, now_ms }: { started_ms: number | null; now_ms: number }) {
  if (started_ms === null) return <Unknown />;
  return <span title={isoTime(started_ms)}>{duration(now_ms - started_ms)}</span>;
}

function DriverState({ driver, now_ms }: { driver: Driver; now_ms: number }) {
  const silence_ms = now_ms - (driver.sent_ms ?? now_ms);
  if (silence_ms > LATE_MS) return <StateBadge tone="warn" word={`Silent for ${duration(silence_ms)}`} />;
  if (driver.returning_until_ms !== null) return <StateBadge tone="idle" word="Restarting" />;
  if (driver.leaving) return <StateBadge tone="idle" word="Leaving" />;
  if (driver.drain) return <StateBadge tone="idle" word="Draining" />;
  return <StateBadge tone="ok" word="Reporting" />;
}
