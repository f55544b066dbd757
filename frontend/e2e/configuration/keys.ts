/** The keys that a made-up configuration knows. */
import type { KnownKey } from "../../src/api/types.ts";
import { aKey } from "../../src/test/builders.ts";

export const KEYS: readonly KnownKey[] = [
  aKey("clusters", {
    owner: "manager",
    levels: ["global"],
    kind: "list",
    description: "The aliases of all clusters.",
  }),
  aKey("bootstrap.servers", {
    owner: "connection",
    levels: ["cluster"],
    description: "Brokers to start from.",
  }),
  aKey("sasl.jaas.config", { owner: "connection", levels: ["cluster"], is_secret: true }),
  aKey("consumer.isolation.level", {
    owner: "consumer",
    kind: "choice",
    allowed: "read_uncommitted or read_committed",
    choices: ["read_uncommitted", "read_committed"],
    default: "read_uncommitted",
    change: "restart",
  }),
  aKey("producer.acks", { owner: "producer", kind: "choice", choices: ["all", "1", "0"], default: "all" }),
  aKey("producer.linger.ms", { owner: "producer", kind: "number", allowed: "a whole number", default: "0" }),
  aKey("offset.flush.interval.ms", {
    owner: "worker",
    effect: "none",
    change: null,
    why: "positions are stored with each batch",
  }),
  aKey("replication.factor", {
    kind: "number",
    allowed: "a whole number, or -1 for the broker's default",
    default: "2",
  }),
  aKey("tasks.max", {
    kind: "number",
    allowed: "a whole number from 1",
    default: "1",
    description: "The highest number of slots among which the flow's partitions are divided.",
  }),
  aKey("topics", { kind: "patterns", allowed: "regular expressions, separated by commas", default: "" }),
];
