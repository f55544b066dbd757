import type { RemoteServices } from "@/api/types";
import { Card } from "@/components/Card";
import { Timestamp } from "@/components/Timestamp";
import { stackedLabels } from "@/components/table/stacked";

type Own = RemoteServices["own"];
type Cluster = RemoteServices["clusters"][number];

const LABELS = stackedLabels(["Cluster", "Reported by", "Sent", "Read", "Problem"]);

/** How this service advertises itself, and where it looks for others. */
export function AdvertisingCard({ own, clusters }: { own: Own; clusters: readonly Cluster[] }) {
  return (
    <Card
      title="Advertisements"
      note={
        own.address === null
          ? "This service does not advertise itself: set SRM_ADVERTISED_ADDRESS"
          : `This service advertises ${own.address}, version ${own.version}`
      }
    >
      {clusters.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="table-scroll" aria-label="Table of advertisements" tabIndex={0} style={LABELS}>
          <table className="table stacked">
            <thead>
              <tr>
                <th scope="col">Cluster</th>
                <th scope="col">Flows into it are reported by</th>
                <th scope="col">Sent</th>
                <th scope="col">Read</th>
                <th scope="col">Problem</th>
              </tr>
            </thead>
            <tbody>
              {clusters.map((cluster) => (
                <tr key={cluster.alias}>
                  <th scope="row">{cluster.alias}</th>
                  <td>{cluster.is_target ? "this service" : "other services"}</td>
                  <td className="muted">
                    <Time time_ms={cluster.sent_ms} isDone={cluster.is_target} />
                  </td>
                  <td className="muted">
                    <Time time_ms={cluster.read_ms} isDone={cluster.is_remote_target} />
                  </td>
                  <td className="muted">{problemsOf(cluster)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

function Time({ time_ms, isDone }: { time_ms: number | null; isDone: boolean }) {
  if (time_ms !== null) return <Timestamp time_ms={time_ms} />;
  return isDone ? "not yet" : "is not needed";
}

function problemsOf({ send_error, read_error, refused }: Cluster): string {
  const unreadable = Object.entries(refused).map(([key, reason]) => `${key}: ${reason}`);
  return [send_error, read_error, ...unreadable].filter((each) => each !== null).join("; ") || "none";
}
