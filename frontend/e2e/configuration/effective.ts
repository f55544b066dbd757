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

/** The values in force of a flow whose names have what the address asks for. */
export function effective(url: URL, source: string, target: string) {
  const asked = url.searchParams.get("key") ?? "";
  const isOwn = `${source}->${target}` === "us-east->us-west";
  const values = isOwn ? VALUES : VALUES.map(withoutFlow);
  return { ...listed(values.filter(({ name }) => name.includes(asked))), version: 7 };
}

/** The value that is in force where no property of the flow sets it. */
function withoutFlow(value: EffectiveValue): EffectiveValue {
  const [next, ...beaten] = value.beaten;
  if (value.level !== "flow" || next === undefined) return value;
  const { has_effect: _, ...won } = next;
  return { ...value, ...won, beaten };
}
