import type { RemoteService } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { stackedLabels } from "@/components/table/stacked";
import { stateOf } from "@/features/services/state";
import { bytes, formatCount, milliseconds } from "@/lib/format";
import { duration, isoTime } from "@/lib/time";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

const LABELS = stackedLabels([
  "Target",
  "Address",
  "State",
  "Problem",
  "Version",
  "Advertised",
  "Clock",
  "Round trip",
  "Requests",
  "Received",
]);

export function ServicesTable({ services }: { services: readonly RemoteService[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label="Table of services" tabIndex={0} style={LABELS}>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Address</th>
            <th scope="col">State</th>
            <th scope="col">Problem</th>
            <th scope="col">Version</th>
            <th scope="col" className="numeric" title="Age of its last advertisement">
              Advertised
            </th>
            <th scope="col" className="numeric" title="How far its clock is ahead of that of this service">
              Clock
            </th>
            <th scope="col" className="numeric">
              Round trip
            </th>
            <th scope="col" className="numeric">
              Requests
            </th>
            <th scope="col" className="numeric">
              Received
            </th>
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <ServiceRow key={`${service.cluster} ${service.id}`} service={service} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ServiceRow({ service }: { service: RemoteService }) {
  return (
    <tr>
      <th scope="row" className="nowrap">
        {service.cluster}
      </th>
      <td className="topic-cell">
        <NameText name={service.address} />
      </td>
      <td>
        <StateBadge {...stateOf(service)} />
      </td>
      <td className="muted">{service.problem ?? "none"}</td>
      <td className="muted">
        {service.version}
        {service.is_other_version && ", differs"}
      </td>
      <td className="numeric" title={`It started at ${isoTime(service.started_ms)}`}>
        {duration(service.age_ms)} ago
      </td>
      <td className="numeric">
        <ClockDifference ahead_ms={service.clock_difference_ms} />
      </td>
      <td className="numeric">
        <Figure value={service.round_trip_ms} as={milliseconds} />
      </td>
      <td className="numeric">
        <Figure value={service.requests} as={count} />
      </td>
      <td className="numeric">
        <Figure value={service.received_bytes} as={bytes} />
      </td>
    </tr>
  );
}

function ClockDifference({ ahead_ms }: { ahead_ms: number | null }) {
  if (ahead_ms === null) return <Unknown />;
  if (Math.abs(ahead_ms) < 1_000) return "agrees";
  return `${duration(Math.abs(ahead_ms))} ${ahead_ms > 0 ? "ahead" : "behind"}`;
}
