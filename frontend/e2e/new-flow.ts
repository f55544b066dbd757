/** Made-up previews and plans of a new flow: same shapes as the service. */
import type {
  ChangePlan,
  FlowDefinition,
  GroupPatterns,
  GroupPreview,
  TopicPreview,
} from "../src/api/types.ts";

const ON_SOURCE = ["orders.created", "orders.paid", "orders.refunded", "payments"];

export function previewOf(source: string, target: string, allow: readonly string[]): TopicPreview {
  const selected = ON_SOURCE.filter((topic) =>
    allow.some((pattern) => new RegExp(`^(?:${pattern})$`).test(topic)),
  );
  const matches = selected.map((topic, place) => ({
    topic,
    partitions: 12,
    remote: `${source}.${topic}`,
    is_replicated: false,
    is_heartbeats: false,
    copied_by: place === 2 ? ["analytics"] : [],
  }));
  const near = { name: "Orders.archive", pattern: allow[0] ?? "", kind: "case" as const };
  return {
    source,
    target,
    matches,
    denied: [{ topic: "orders.tmp", reason: "the deny pattern orders\\.tmp matches it" }],
    near_misses: [{ ...near, reason: "differs in upper and lower case" }],
    unmatched_patterns: allow.filter((pattern) => pattern === "nothing"),
    counts: { matches: matches.length, denied: 1, near_misses: 1, unmatched_patterns: 0 },
  };
}

export function groupPreviewOf(source: string, target: string, { allow, deny }: GroupPatterns): GroupPreview {
  const matches = ["billing", "mailer"].map((group, place) => ({
    group,
    type: "classic" as const,
    state: place === 0 ? ("active" as const) : ("empty" as const),
    topics: 2 - place,
  }));
  const denied = deny?.includes("test-.*")
    ? [{ group: "test-1", reason: "the deny pattern test-.* matches it" }]
    : [];
  return {
    source,
    target,
    on_source: 5,
    matches,
    skipped: [{ group: "search", reason: "it has no committed offset on a topic of the flow" }],
    denied,
    near_misses: [
      {
        name: "Billing",
        pattern: allow[0] ?? "",
        kind: "case",
        reason: "it differs in upper and lower case",
      },
    ],
    unmatched_patterns: allow.filter((pattern) => pattern === "nothing"),
    counts: { matches: 2, skipped: 1, denied: denied.length, near_misses: 1, unmatched_patterns: 0 },
  };
}

export function planOf({ source, target }: FlowDefinition): ChangePlan {
  return {
    version: 7,
    changes_configuration: true,
    clusters: [],
    findings: [],
    flows: [
      {
        source,
        target,
        outcome: "created",
        revision: 4,
        values: [],
        changes: {
          source,
          target,
          topics_created: [
            { name: `${source}.orders.created`, partitions: 12, upstream: "orders.created" },
            { name: `mm2-offset-syncs.${target}.internal`, partitions: 1, upstream: null },
          ],
          topics_widened: [],
          topics_added: ["orders.created", "orders.paid", "orders.refunded"],
          topics_removed: [],
          topics_renamed: [],
          names_taken: [],
          configs: [],
          acls: [],
          findings: [
            {
              severity: "error",
              code: "rights_missing",
              text: `User:srm may not create topics on ${target}.`,
              remedy:
                "Grant it: kafka-acls --bootstrap-server b1.eu.example:9093 --add --allow-principal User:srm --operation Create --cluster",
              topic: null,
              cluster: target,
            },
          ],
          tasks: { before: 0, after: 4, restarts: [], moved_partitions: 0, is_new_generation: false },
          estimate: { partitions: 36, records: 12_400_000, bytes: 8_600_000_000, is_upper_bound: false },
          unlooked: [{ part: "groups", reason: "The source does not answer about groups." }],
          counts: { topics_added: 3, topics_created: 2, findings: 1 },
        },
      },
    ],
  };
}
