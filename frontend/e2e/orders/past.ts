/** What has happened to a flow: orders in force, resets, audits with findings. Most tests have a flow without. */
import type {
  Audit,
  AuditFinding,
  AuditStanding,
  FlowRow,
  Hold,
  Reset,
  Stop,
  TopicAuditResult,
  TopicThrottle,
} from "../../src/api/types.ts";
import { listed } from "../manage.ts";

export interface Past {
  /** what flows say of the orders below */
  orders_in_force: NonNullable<FlowRow["orders_in_force"]>;
  holds: readonly Hold[];
  stops: readonly Stop[];
  throttles: readonly TopicThrottle[];
  resets: readonly Reset[];
  audits: readonly Audit[];
  standing: AuditStanding;
  findings: readonly AuditFinding[];
}

const HOUR_MS = 3_600_000;
const LONG_TOPIC = "payments.settlements.eu-central.2026";
const NOTHING = {
  ...{ missing: 0, changed: 0, reordered: 0, unexpected: 0, duplicate: 0, gap: 0, skipped: 0 },
  dead_lettered: 0,
};
const FOUND = { ...NOTHING, missing: 1_204, changed: 1 };

/** A flow with something in each list. */
export function eventfulPast(now_ms: number): Past {
  const since_ms = now_ms - 3 * HOUR_MS;
  const reset = { requested_by: "admin", rejected: null, requested_ms: since_ms, ended_ms: null };
  return {
    orders_in_force: {
      text: "1 partition stopped, 1 topic and 1 partition paused, 1 topic throttled",
      ...{ throttle_bytes_per_second: null, throttled_topics: 1, throttled_partitions: 0 },
      ...{ paused_topics: 1, paused_partitions: 1, stopped_topics: 0, stopped_partitions: 1 },
    },
    holds: [
      { id: 1, topic: "orders", partition: null, until_ms: null, reason: "", held_by: "bob", since_ms },
      {
        ...{ id: 2, topic: LONG_TOPIC, partition: 11, until_ms: now_ms + HOUR_MS },
        ...{ reason: "the consumers of the new schema are not deployed yet", held_by: "admin", since_ms },
      },
    ],
    stops: [
      {
        ...{ id: 3, topic: "clicks.raw", partition: 4, until_ms: null },
        ...{ reason: "poison record", stopped_by: "admin", since_ms },
      },
    ],
    throttles: [
      {
        ...{ id: 4, topic: "shipments", partition: null, bytes_per_second: 2_500_000, until_ms: null },
        ...{ reason: "the line is shared", throttled_by: "bob", since_ms },
      },
    ],
    resets: [
      { ...reset, id: "1f0c", topic: "orders", partition: 3, to: { offset: 48_000_001 }, state: "requested" },
      { ...reset, id: "1f0b", topic: "orders", partition: 2, to: "latest", state: "done" },
      {
        ...{ ...reset, id: "1f0a", topic: LONG_TOPIC, partition: 12, to: { timestamp_ms: since_ms } },
        ...{ state: "requested", rejected: `the plan has no partition 12 of ${LONG_TOPIC}` },
      },
      {
        ...reset,
        id: "1f09",
        topic: "payments",
        partition: 0,
        to: "earliest",
        state: "done",
        ended_ms: since_ms,
      },
    ],
    audits: auditsAt(now_ms),
    standing: standingAt(since_ms),
    findings: [
      finding(3, "missing", 48_000_001, null, 1_200, "offsets 48,000,001 to 48,001,200 have no copy"),
      finding(3, "missing", 48_002_007, null, 4, ""),
      finding(7, "changed", 48_100_112, 48_112_116, 1, "header origin: checkout became repair"),
    ],
  };
}

function auditsAt(now_ms: number): Audit[] {
  const common = {
    mode: "full",
    ...{ source: "us-west", target: "us-east", requested_by: "admin", scheduled: false },
    ...{ error: null, silent_ms: null, progress: { done: 1, text: "" }, proven_until_ms: now_ms - HOUR_MS },
    ...{ topics_asked: 37, first_topics: ["orders", LONG_TOPIC, "clicks.raw"], topics_done: 37 },
    ...{ records_source: 48_120_334, records_target: 48_119_130, findings: NOTHING },
  } as const;
  const text = "12 of 37 topics, 18,204,112 records compared";
  return [
    {
      ...{ ...common, id: 15, state: "running", verdict: "unknown", mode: "incremental", topics_done: 12 },
      ...{ requested_ms: now_ms - 60_000, progress: { done: 0.34, text } },
    },
    {
      ...{ ...common, id: 14, state: "done", verdict: "different", findings: FOUND },
      requested_ms: now_ms - 2 * HOUR_MS,
    },
    {
      ...{ ...common, id: 13, state: "failed", verdict: "unknown", scheduled: true },
      ...{
        error: "the target refuses the login of the metrics process",
        requested_ms: now_ms - 30 * HOUR_MS,
      },
    },
    { ...common, id: 12, state: "done", verdict: "equal", requested_ms: now_ms - 60 * HOUR_MS },
  ];
}

function standingAt(at_ms: number): AuditStanding {
  const topics: TopicAuditResult[] = [
    { topic: "orders", verdict: "different", audit_id: 14, at_ms, findings: FOUND },
    { topic: LONG_TOPIC, verdict: "warnings", audit_id: 14, at_ms, findings: { ...NOTHING, gap: 1_200 } },
    { topic: "clicks.raw", verdict: "equal", audit_id: 14, at_ms, findings: NOTHING },
  ];
  const by_verdict = { different: 1, unknown: 0, warnings: 1, counts_agree: 0, equal: 35 };
  return { verdict: "different", topics_total: 37, by_verdict, topics, next_cursor: null, as_of_ms: at_ms };
}

function finding(
  partition: number,
  kind: AuditFinding["kind"],
  source_offset: number,
  target_offset: number | null,
  records: number,
  detail: string,
): AuditFinding {
  return { topic: "orders", partition, kind, source_offset, target_offset, records, detail };
}

/** A list with the number of its topics. */
export function byTopic<Item extends { topic: string }>(items: readonly Item[]) {
  return { ...listed(items), topics: new Set(items.map(({ topic }) => topic)).size };
}

/** The answer about a flow's past; undefined for other resources. */
export function pastPart(
  past: Past,
  part: string,
  name: string | undefined,
  below: string | undefined,
): object | undefined {
  if (part === "audits" && name === "state") return past.standing;
  if (part === "audits" && below === "findings") return listed(past.findings);
  if (part === "audits" && name === undefined) return listed(past.audits);
  if (part === "resets") return listed(past.resets);
  return part === "holds" || part === "stops" || part === "throttles"
    ? byTopic<{ topic: string }>(past[part])
    : undefined;
}
