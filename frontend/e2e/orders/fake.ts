/** Orders as the fake service keeps them: given, at the drivers after a second, done after two. */
import type { components } from "../../src/api/schema";
import type { Action, OrderBody, Stop } from "../../src/api/types.ts";
import type { FakeFlow } from "../fleet.ts";
import { type Asked, listed, Refused } from "../manage.ts";
import { byTopic } from "./past.ts";

type Given = components["schemas"]["FlowActionResult"];

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export class FakeOrders {
  /** the orders since the start, the newest first */
  readonly given: Action[] = [];
  private stops: Stop[] = [];

  /** The answer about orders of a flow; undefined for other resources. */
  answer({ method, sent, url }: Asked, flow: FakeFlow, part: string, name: string | undefined): unknown {
    if (part === "stops") return byTopic(this.stops);
    if (part !== "actions") return undefined;
    if (name !== undefined) return this.rows().find(({ id }) => String(id) === name);
    return method === "POST"
      ? this.give(flow, sent as OrderBody & { dry_run?: boolean })
      : listed(this.rows().filter(({ topic }) => topic.includes(url.searchParams.get("topic") ?? "")));
  }

  private give(flow: FakeFlow, order: OrderBody & { dry_run?: boolean }): Given | Refused {
    const { action, reason, scope, until_ms = null, dry_run = false } = order;
    const place = scope?.topic ? scope.topic : `${flow.source}->${flow.target}`;
    if (place === "missing")
      return new Refused(404, { title: "Not found", detail: "The flow copies no topic missing." });
    const text = `${dry_run ? "With this order, " : ""}${place} ${action}`;
    const common = {
      action,
      scope: { topic: "", partition: null, task: null, ...scope },
      changed: true,
      dry_run,
      text,
    };
    if (dry_run) {
      const { touches, names } = coveredBy(flow, common.scope);
      return { ...common, id: null, revision: 41, state: "published", tasks: [], touches, names };
    }
    const row = {
      ...orderOf(action, reason, Date.now()),
      ...scopeOf(scope),
      until_ms,
      id: this.given.length + 10,
    };
    this.given.unshift(row);
    if (action === "stop" && scope?.topic) this.stops.push(stopOf(row));
    if (action === "start") this.stops = [];
    const { revision, state, tasks } = stateOf(row);
    return { ...common, id: row.id, revision, state, tasks };
  }

  private rows(): Action[] {
    return [...this.given.map((row) => ({ ...row, ...stateOf(row) })), ...FORMER];
  }
}

const PARTITIONS = 12;

/** What an order covers: a topic with the tasks that copy it, or the whole flow. */
function coveredBy(flow: FakeFlow, { topic, partition }: { topic: string; partition: number | null }) {
  const slots = topic === "" ? flow.tasks[1] : Math.min(flow.tasks[1], partition === null ? 2 : 1);
  const topics = topic === "" ? flow.topics : 1;
  const partitions = partition === null ? topics * PARTITIONS : 1;
  return {
    touches: { flows: 1, topics, partitions, slots },
    names: {
      topics: topic === "" ? [] : [topic],
      tasks: Array.from({ length: slots }, (_, slot) => `${flow.source}/source/${slot}`),
    },
  };
}

function scopeOf(scope: OrderBody["scope"]): Pick<Action, "topic" | "partition" | "task"> {
  return { topic: scope?.topic ?? "", partition: scope?.partition ?? null, task: null };
}

function stopOf({ id, topic, partition, until_ms, reason, ordered_ms }: Action): Stop {
  return { id: id ?? 0, topic, partition, until_ms, reason, stopped_by: "admin", since_ms: ordered_ms };
}

function stateOf(
  row: Action,
): Pick<Action, "revision" | "state" | "outcome" | "ended_ms" | "applied_by" | "tasks"> {
  const age_ms = Date.now() - row.ordered_ms;
  const isDone = age_ms > 2 * SECOND_MS;
  const applied_by = [{ task: "us-east/source/0", driver: "driver-1" }];
  return {
    revision: age_ms > SECOND_MS ? 42 : null,
    state: isDone ? "applied" : age_ms > SECOND_MS ? "published" : "ordered",
    outcome: isDone ? "applied" : "waiting",
    ended_ms: isDone ? row.ordered_ms + 2 * SECOND_MS : null,
    applied_by: isDone ? applied_by : [],
    tasks: [{ task: "us-east/source/0", driver: "driver-1", applied_revision: isDone ? 42 : 41 }],
  };
}

function orderOf(event: string, reason: string, ordered_ms: number): Action {
  return {
    id: 1,
    source: "us-east",
    target: "eu-central",
    event: `flow.${event}`,
    topic: "",
    partition: null,
    task: null,
    reason,
    detail: "",
    until_ms: null,
    ordered_by: "admin",
    ordered_ms,
    revision: null,
    outcome: "waiting",
    ended_ms: null,
    refusal: "",
    applied_by: [],
    state: "ordered",
    tasks: [],
  };
}

const LONG_AGO_MS = Date.now() - 26 * 3_600_000;
const DONE = {
  state: "applied",
  outcome: "applied",
  revision: 40,
  ended_ms: LONG_AGO_MS + MINUTE_MS,
} as const;
const FORMER: readonly Action[] = [
  {
    ...orderOf(
      "throttle",
      "the line is shared until the migration of the old data centre has ended",
      LONG_AGO_MS,
    ),
    ...DONE,
    id: 9,
    detail: "2500000 bytes/s",
    applied_by: [
      { task: "us-east/source/0", driver: "driver-1" },
      { task: "us-east/source/1", driver: "driver-2" },
    ],
  },
  {
    ...orderOf("hold", "consumer repair", LONG_AGO_MS - MINUTE_MS),
    id: 8,
    topic: "payments.settlements.eu-central.2026",
    partition: 11,
    state: "overtaken",
    outcome: "overtaken",
    revision: 38,
    ended_ms: LONG_AGO_MS,
  },
  {
    ...orderOf("restart", "", LONG_AGO_MS - 2 * MINUTE_MS),
    id: 7,
    task: 3,
    until_ms: LONG_AGO_MS - MINUTE_MS,
    state: "expired",
    outcome: "expired",
    ended_ms: LONG_AGO_MS - MINUTE_MS,
  },
];
