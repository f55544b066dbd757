/** The columns of the table of services. */
import type { RemoteService } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { NameText, ShortName } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { stateOf } from "@/features/services/state";
import { bytes, count, milliseconds } from "@/lib/format";
import { ago, duration, isoTime } from "@/lib/time";

const roundTrip = ({ problem, round_trip_ms }: RemoteService) => (problem === null ? round_trip_ms : null);

export const SERVICE_COLUMNS: readonly CellColumn<RemoteService>[] = [
  {
    id: "target",
    label: "Target",
    hint: "The cluster whose flows the service knows",
    value: ({ cluster }) => cluster,
    cell: ({ cluster }) => cluster,
    cellClass: "nowrap",
  },
  {
    id: "address",
    label: "Address",
    value: ({ address }) => address,
    cell: ({ address }) => <ShortName name={address} most={24} />,
    cellClass: "topic-cell",
  },
  {
    id: "state",
    label: "State",
    hint: "Answers: it answered the last request, and is the first choice. In reserve: another one is asked first. Stale: its advertisement is older than three of its intervals. Not allowed, no token, other target: it is not asked",
    value: (service) => stateOf(service).word,
    cell: (service) => <StateBadge {...stateOf(service)} />,
  },
  {
    id: "problem",
    label: "Problem",
    hint: "The reason why it did not answer, or what is refused",
    value: ({ problem }) => problem,
    cell: ({ problem }) => (problem === null ? "none" : <NameText name={problem} />),
    cellClass: "muted",
  },
  {
    id: "version",
    label: "Version",
    value: ({ version }) => version,
    cell: ({ version, is_other_version }) => `${version}${is_other_version ? ", differs" : ""}`,
    cellClass: "muted nowrap",
  },
  {
    id: "advertised",
    label: "Advertised",
    hint: "Age of its last advertisement",
    value: ({ age_ms }) => age_ms,
    isNumber: true,
    cell: ({ age_ms, started_ms }) => (
      <span title={`It started at ${isoTime(started_ms)}`}>{ago(age_ms)}</span>
    ),
  },
  {
    id: "clock",
    label: "Clock",
    hint: "Difference between its clock and that of this service",
    value: ({ clock_difference_ms }) => clock_difference_ms,
    isNumber: true,
    cell: ({ clock_difference_ms }) => <ClockDifference ahead_ms={clock_difference_ms} />,
    cellClass: "nowrap",
  },
  {
    id: "round_trip",
    label: "Round trip",
    hint: "Time that its last answer took; unknown while it does not answer",
    value: roundTrip,
    isNumber: true,
    cell: (service) => <Figure value={roundTrip(service)} as={milliseconds} />,
  },
  {
    id: "requests",
    label: "Requests",
    hint: "Requests to its address since it was first seen, including those before restarts of this service",
    value: ({ requests }) => requests,
    isNumber: true,
    cell: ({ requests }) => <Figure value={requests} as={count} />,
  },
  {
    id: "received",
    label: "Received",
    hint: "Bytes of the answers to these requests, as they came over the network",
    value: ({ received_bytes }) => received_bytes,
    isNumber: true,
    cell: ({ received_bytes }) => <Figure value={received_bytes} as={bytes} />,
  },
];

function ClockDifference({ ahead_ms }: { ahead_ms: number | null }) {
  if (ahead_ms === null) return <Unknown />;
  if (Math.abs(ahead_ms) < 1_000) return "agrees";
  return `${duration(Math.abs(ahead_ms))} ${ahead_ms > 0 ? "ahead" : "behind"}`;
}
