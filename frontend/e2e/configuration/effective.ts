/** The values in force of a made-up configuration. */
import type { EffectiveValue } from "../../src/api/types.ts";
import { listed } from "../manage.ts";

function beaten(level: "connectors" | "workers" | "global" | "default", key: string, value: string) {
  return { level, key, value, origin: "srm.properties:12", note: "" };
}

const VALUES: readonly EffectiveValue[] = [
  {
    client: "flow",
    name: "tasks.max",
    value: "8",
    level: "flow",
    key: "us-east->us-west.tasks.max",
    origin: "srm.properties:12",
    note: "",
    beaten: [
      { ...beaten("connectors", "connectors.tasks.max", "4"), has_effect: true },
      { ...beaten("default", "", "1"), origin: "", has_effect: true },
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
      { ...beaten("workers", "workers.producer.linger.ms", "20"), has_effect: true },
      {
        ...beaten("global", "linger.ms", "5"),
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

/** The values in force of a flow for the client and with the names that the address asks for. */
export function effective(url: URL, source: string, target: string) {
  const { searchParams } = url;
  const [key, client] = [searchParams.get("key") ?? "", searchParams.get("client") ?? ""];
  const isSet = searchParams.get("only_set") === "true";
  const flow = `${source}->${target}`;
  const values = [
    ...(flow === "us-east->us-west" ? VALUES : VALUES.map(withoutFlow)),
    ...patternsOf(flow),
  ].filter(
    (value) =>
      value.name.includes(key) &&
      (client === "" || value.client === client) &&
      (!isSet || value.level !== "default"),
  );
  return { ...listed(values), version: 7 };
}

const TOPICS: Readonly<Record<string, string>> = {
  "us-east->us-west": "orders.*, payments",
  "us-east->eu-central": "orders.*",
};

/** The lists of topics and groups: two flows have patterns of topics, all others the defaults. */
function patternsOf(flow: string): EffectiveValue[] {
  const lists: Record<string, string> = {
    topics: TOPICS[flow] ?? "",
    "topics.exclude": ".*[\\-\\.]internal, .*\\.replica, __.*",
    groups: "",
    "groups.exclude": "console-consumer-.*, connect-.*, __.*",
  };
  return Object.entries(lists).map(([name, value]) => {
    const isOwn = name === "topics" && value !== "";
    return {
      ...{ client: "flow", name, value, note: "", beaten: [], why: "", is_secret: false },
      level: isOwn ? "flow" : "default",
      key: isOwn ? `${flow}.${name}` : "",
      origin: isOwn ? "srm.properties:12" : "",
      effect: name.startsWith("topics") ? "planning" : "consumer groups",
    };
  });
}

/** The value that is in force where no property of the flow sets it. */
function withoutFlow(value: EffectiveValue): EffectiveValue {
  const [next, ...beaten] = value.beaten;
  if (value.level !== "flow" || next === undefined) return value;
  const { has_effect: _, ...won } = next;
  return { ...value, ...won, beaten };
}
