/** Other fleets than the one of most tests: large ones for measurements, and one with every status for pictures. */
import { type FakeFlow, FLEET } from "../fleet.ts";

const PER_CLUSTER = 5;
/** How far the targets of a cluster's flows are from it; the last is the way back of the first. */
const STEPS = [1, 3, 7, 2, -1];

/** `count` flows between a fifth as many clusters; one in twelve is not healthy. */
export function fleetOf(count: number): readonly FakeFlow[] {
  const clusters = Math.max(8, Math.ceil(count / PER_CLUSTER));
  const alias = (place: number): string => `kafka-${(place + clusters) % clusters}`;
  return Array.from({ length: count }, (_, place) => {
    const source = place % clusters;
    const step = STEPS[Math.floor(place / clusters)] ?? 1;
    return { source: alias(source), target: alias(source + step), ...stateOf(place) };
  });
}

export function aliasesOf(flows: readonly FakeFlow[]): string[] {
  return [...new Set(flows.flatMap((flow) => [flow.source, flow.target]))].sort();
}

function stateOf(place: number): Omit<FakeFlow, "source" | "target"> {
  const size = { topics: 4 + (place % 60), tasks: [6, 6] as [number, number] };
  const moving = {
    megabytes_per_second: 2 + (place % 17) * 3,
    latency_ms: 30 + place,
    lag: 100 + place * 40,
  };
  if (place % 24 === 11) {
    const reason =
      "1 of 6 tasks failed. The target refuses a record of orders, partition 3: it is too large.";
    return { status: "degraded", reason, cause: null, ...moving, ...size, tasks: [5, 6] };
  }
  if (place % 24 === 23) {
    const none = { megabytes_per_second: null, latency_ms: null, lag: null };
    return {
      status: "disabled",
      reason: "Replication is switched off; at most heartbeats are sent.",
      cause: null,
      ...none,
      ...size,
    };
  }
  const reason = "All partitions have caught up with the source.";
  return { status: "healthy", reason, cause: null, ...moving, ...size };
}

const CAUSE = { topic: null, partition: null, since_ms: Date.now() - 26 * 3_600_000 };
const STILL = { megabytes_per_second: null, latency_ms: null };

/** A flow in each status, with its cause where there is one. */
export const EVERY_STATUS: readonly FakeFlow[] = [
  ...FLEET,
  {
    source: "ap-south",
    target: "analytics",
    status: "interrupted",
    reason:
      "The source cluster ap-south does not answer: b1.ap-south.example:9093: no answer to TCP within 3 s",
    cause: { ...CAUSE, code: "source_unreachable", text: "The source cluster does not answer." },
    ...{ ...STILL, lag: 48_000, topics: 12, tasks: [0, 4] },
  },
  {
    source: "payments-frankfurt-01",
    target: "payments-dublin-02",
    status: "failed",
    reason:
      "All 4 tasks of this flow failed. The target refuses the login: check the user name and the password.",
    cause: { ...CAUSE, code: "authentication_failed", text: "The cluster refuses the login." },
    ...{ ...STILL, lag: 1_204_331, topics: 9, tasks: [0, 4] },
  },
  {
    source: "us-west",
    target: "ap-south",
    status: "starting",
    reason: "2 of 4 tasks have started",
    cause: null,
    ...{ ...STILL, lag: null, topics: 12, tasks: [2, 4] },
  },
  {
    source: "eu-central",
    target: "us-east",
    status: "paused",
    reason: "Paused by admin: the consumers are repaired.",
    cause: null,
    ...{ megabytes_per_second: 0, latency_ms: null, lag: 61_000, topics: 31, tasks: [4, 4] },
  },
  {
    source: "ap-south",
    target: "us-east",
    status: "idle",
    reason: "No topic matches the filters.",
    cause: null,
    ...{ ...STILL, lag: null, topics: 0, tasks: [0, 0] },
  },
  {
    source: "lab",
    target: "analytics",
    status: "unknown",
    reason: "No driver reports this flow.",
    cause: null,
    ...{ ...STILL, lag: null, topics: 0, tasks: [0, 2] },
  },
];
