import { useQuery } from "@tanstack/react-query";
import { goneDriversQuery } from "@/api/drivers";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";
import { duration, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

const LABELS = stackedLabels(["Driver", "Role", "State", "Last seen", "Host", "Tasks", "Version"]);

/** Processes that reported in the last seven days and do not report any more; nothing if there is none. */
export function GoneCard() {
  const now_ms = useNow();
  const { data, error, refetch } = useQuery(goneDriversQuery);
  if (data === undefined && error === null) return null;
  if (data?.items.length === 0) return null;
  return (
    <Card title="Gone" note="processes that reported in the last 7 days">
      {data === undefined ? (
        <ErrorState what="The drivers that left" error={error} onRetry={() => void refetch()} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="table-scroll" aria-label="Table of drivers that left" tabIndex={0} style={LABELS}>
          <table className="table stacked">
            <thead>
              <tr>
                <th scope="col">Driver</th>
                <th scope="col">Role</th>
                <th scope="col">State</th>
                <th scope="col">Last seen</th>
                <th scope="col">Host</th>
                <th scope="col" className="numeric" title="At its last report">
                  Tasks
                </th>
                <th scope="col">Version</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((process) => (
                <tr key={`${process.id} ${process.role}`}>
                  <th scope="row">{process.id}</th>
                  <td>{process.role}</td>
                  <td>
                    <StateBadge
                      tone={process.left ? "idle" : "bad"}
                      word={process.left ? "Stopped" : "Fell silent"}
                    />
                  </td>
                  <td className="nowrap" title={isoTime(process.last_seen_ms)}>
                    {duration(now_ms - process.last_seen_ms)} ago
                  </td>
                  <td className="muted">{process.host ?? <Unknown />}</td>
                  <td className="numeric">{process.tasks}</td>
                  <td className="muted">{process.version ?? <Unknown />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}
