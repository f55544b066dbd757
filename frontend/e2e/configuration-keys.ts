/** The key table and the values in force of a made-up configuration. */
import type { EffectiveValue, KnownKey } from "../src/api/types.ts";
import { listed } from "./manage.ts";

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

export function effective(url: URL) {
  const asked = url.searchParams.get("key") ?? "";
  const values: EffectiveValue[] = [
    {
      client: "flow",
      name: "tasks.max",
      value: "8",
      level: "flow",
      key: "us-east->us-west.tasks.max",
      origin: "srm.properties:12",
      note: "",
      beaten: [
        { ...link("connectors", "connectors.tasks.max", "4"), has_effect: true },
        { ...link("default", "", "1"), origin: "", has_effect: true },
      ],
      effect: "planning",
      why: "",
      is_secret: false,
    },
    {
      client: "producer",
      name: "linger.ms",
      value: "50",
      level: "flow",
      key: "us-east->us-west.producer.override.linger.ms",
      origin: "rest",
      note: "",
      beaten: [
        { ...link("workers", "workers.producer.linger.ms", "20"), has_effect: true },
        {
          ...link("global", "linger.ms", "5"),
          note: "a global key is not read for clients",
          has_effect: false,
        },
      ],
      effect: "engine",
      why: "",
      is_secret: false,
    },
    {
      client: "worker",
      name: "offset.flush.interval.ms",
      value: "60000",
      level: "global",
      key: "offset.flush.interval.ms",
      origin: "srm.properties:3",
      note: "",
      beaten: [],
      effect: "none",
      why: "positions are stored with each batch",
      is_secret: false,
    },
  ];
  return { ...listed(values.filter(({ name }) => name.includes(asked))), version: 7 };
}

function link(level: "connectors" | "workers" | "global" | "default", key: string, value: string) {
  return { level, key, value, origin: "srm.properties:8", note: "" };
}
