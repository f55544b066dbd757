/** States, configs, gaps and audits of the topics of a made-up flow. */
import type { components } from "../../src/api/schema";
import type {
  AuditStanding,
  DriftedConfig,
  Gap,
  RecordPair,
  RecordSide,
  TopicState,
} from "../../src/api/types.ts";
import type { FakeFlow } from "../fleet.ts";

type Schemas = components["schemas"];

const STATES = (flow: FakeFlow): TopicState[] => [
  { topic: "orders", state: "replicated", partitions: 12, remote: `${flow.source}.orders`, reason: null },
  {
    topic: "audit.internal-only",
    state: "denied",
    partitions: 3,
    remote: null,
    reason: "the deny pattern audit.* matches it",
  },
  {
    topic: "returns",
    state: "available",
    partitions: 6,
    remote: null,
    reason: "no allow pattern matches it",
  },
  {
    topic: "payments.eu",
    state: "conflicting",
    partitions: 6,
    remote: `${flow.source}.payments.eu`,
    reason: "the flow eu-west to analytics copies to the same remote topic",
  },
];

export function topicStatesOf(flow: FakeFlow, url: URL): Schemas["TopicStates"] {
  const state = url.searchParams.get("state");
  const search = url.searchParams.get("search") ?? "";
  const items = STATES(flow).filter(
    ({ topic, ...own }) => (state === null || own.state === state) && topic.includes(search),
  );
  const counts = { replicated: flow.topics, available: 1, denied: 1, conflicting: 1, departed: 0 };
  return { source: flow.source, target: flow.target, items, counts, next_after: null };
}

export function driftOf(flow: FakeFlow, url: URL): Schemas["ConfigDrift"] {
  const topic = url.searchParams.get("topic") ?? "orders";
  const common = { topic, remote: `${flow.source}.${topic}` };
  const items: DriftedConfig[] = [
    {
      ...common,
      key: "retention.ms",
      source_value: "604800000",
      target_value: "86400000",
      is_synced: true,
      reason: null,
      is_drift: true,
    },
    {
      ...common,
      key: "min.insync.replicas",
      source_value: "2",
      target_value: "1",
      is_synced: false,
      reason: "config.properties.exclude excludes it",
      is_drift: true,
    },
  ];
  return {
    source: flow.source,
    target: flow.target,
    items,
    unread: [],
    counts: { items: items.length, topics: 1, compared: 1, unread: 0 },
  };
}

export function gapsOf(flow: FakeFlow | undefined, topic: string | null, time_ms: number): Gap[] {
  if (flow === undefined || flow.status !== "degraded") return [];
  const gap: Gap = {
    id: 1,
    detected_ms: time_ms - 240_000,
    source: flow.source,
    target: flow.target,
    topic: "orders",
    partition: 3,
    cause: "out_of_range",
    from_offset: 48_000_001,
    to_offset: 48_001_201,
    records: 1200,
    policy: "record_and_continue",
    topic_id: "0f3c",
  };
  return topic === null || topic === gap.topic ? [gap] : [];
}

export function auditStateOf(topic: string | null, time_ms: number): AuditStanding {
  const found = { topic: topic ?? "orders", audit_id: 12, at_ms: time_ms - 7_200_000 };
  return {
    verdict: "equal",
    topics_total: 1,
    by_verdict: { different: 0, unknown: 0, warnings: 0, counts_agree: 0, equal: 1 },
    topics: [{ ...found, verdict: "equal", findings: null }],
    next_cursor: null,
    as_of_ms: time_ms,
  };
}

export function planOf(flow: FakeFlow, time_ms: number): Schemas["PlanNow"] {
  const { source, target, topics, tasks } = flow;
  const text = `cluster ${target}: mm2-offset-syncs.${source}.internal has cleanup.policy=delete instead of compact`;
  return {
    ...{ source, target, generation: 4, version: 12, planned_ms: time_ms - 7_440_000, tasks_max: tasks[1] },
    ...{ topics, partitions: topics * 12, skipped_topics: 0, skipped_groups: 1, partial: [] },
    warnings:
      flow.status === "degraded" ? [{ code: "internal_topic_cleanup_policy", text, cluster: target }] : [],
  };
}

const bytes = (text: string) => ({ size: text.length, text, base64: null, is_cut: false });

/** A record whose copy has another header, and values if they are asked for. */
export function recordPairOf(flow: FakeFlow, url: URL, time_ms: number): RecordPair {
  const [topic = "orders", , partition = "0", , offset = "0"] =
    url.pathname.split("/topics/")[1]?.split("/") ?? [];
  const isShown = url.searchParams.get("value") === "true";
  const side = (cluster: string, name: string, at: number, origin: string): RecordSide => ({
    cluster,
    topic: name,
    partition: Number(partition),
    state: "found",
    text: `${cluster} has it at ${at}`,
    log_start: 39_120_334,
    log_end: 48_120_334,
    record: {
      offset: at,
      timestamp_ms: time_ms - 3_600_123,
      key: bytes("customer-48121"),
      headers: [
        { name: "traceparent", value: bytes("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") },
        { name: "origin", value: bytes(origin) },
      ],
      headers_total: 2,
      value_size: 412,
      value: isShown ? bytes('{"order": 48121, "state": "paid"}') : null,
    },
  });
  return {
    source: flow.source,
    target: flow.target,
    original: side(flow.source, topic, Number(offset), "checkout"),
    copy: side(flow.target, `${flow.source}.${topic}`, Number(offset) + 12_004, "repair"),
    evidence: "a reported offset range of the flow covers this record",
    differences: ["headers"],
  };
}
