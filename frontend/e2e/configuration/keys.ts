/** The keys that a made-up configuration knows. */
import type { KnownKey } from "../../src/api/types.ts";

function known(key: string, change: Partial<KnownKey> = {}): KnownKey {
  return {
    key,
    owner: "flow",
    kind: "text",
    allowed: "a text",
    effect: "planning",
    levels: ["global", "connectors", "flow"],
    default: null,
    choices: [],
    description: "",
    why: "",
    change: "live",
    is_secret: false,
    old_spellings: [],
    ...change,
  };
}

export const KEYS: readonly KnownKey[] = [
  known("clusters", {
    owner: "manager",
    levels: ["global"],
    kind: "list",
    description: "The aliases of all clusters.",
  }),
  known("bootstrap.servers", {
    owner: "connection",
    levels: ["cluster"],
    description: "Brokers to start from.",
  }),
  known("sasl.jaas.config", { owner: "connection", levels: ["cluster"], is_secret: true }),
  known("consumer.isolation.level", {
    owner: "consumer",
    kind: "choice",
    allowed: "read_uncommitted or read_committed",
    choices: ["read_uncommitted", "read_committed"],
    default: "read_uncommitted",
    change: "restart",
  }),
  known("producer.acks", { owner: "producer", kind: "choice", choices: ["all", "1", "0"], default: "all" }),
  known("producer.linger.ms", { owner: "producer", kind: "number", allowed: "a whole number", default: "0" }),
  known("offset.flush.interval.ms", {
    owner: "worker",
    effect: "none",
    change: null,
    why: "positions are stored with each batch",
  }),
  known("replication.factor", {
    kind: "number",
    allowed: "a whole number, or -1 for the broker's default",
    default: "2",
  }),
  known("tasks.max", {
    kind: "number",
    allowed: "a whole number from 1",
    default: "1",
    description: "The highest number of slots among which the flow's partitions are divided.",
  }),
  known("topics", { kind: "patterns", allowed: "regular expressions, separated by commas", default: "" }),
];
