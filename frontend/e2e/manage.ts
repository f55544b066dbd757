/** The resources that change clusters, flows and the configuration, as the fake service answers them. */
import type { BulkRequest, FlowDefinition, GroupPatterns } from "../src/api/types.ts";
import { clusterOf, reportOf } from "./clusters.ts";
import { configured, type FakeConfiguration } from "./configuration/fake.ts";
import { type FakeFlow, flowInRange, listedFlowOf, settingsOf, switched } from "./fleet.ts";
import { groupPreviewOf, planOf, previewOf } from "./new-flow.ts";

export interface Asked {
  method: string;
  url: URL;
  sent: unknown;
  flows: readonly FakeFlow[];
  /** another definition of a flow; null: it is new, or it is deleted */
  redefine: (flow: FakeFlow | null, next: FakeFlow | null) => void;
  aliases: string[];
  configuration: FakeConfiguration;
}

/** A refusal with its problem document. */
export class Refused {
  readonly status: number;
  readonly members: object;

  constructor(status: number, members: object) {
    this.status = status;
    this.members = members;
  }
}

/** The answer to a request that made something. */
export class Created {
  readonly body: object;

  constructor(body: object) {
    this.body = body;
  }
}

export const NO_CONTENT = Symbol("no content");

export function listed<Item>(items: readonly Item[]) {
  return { items: [...items], next_cursor: null, as_of_ms: Date.now(), partial: [] };
}

/** The answer as it is while these clusters or services do not answer the service. */
export function withMissing(found: unknown, peers: readonly string[]): unknown {
  const isAffected = typeof found === "object" && found !== null && "partial" in found && peers.length > 0;
  if (!isAffected) return found;
  return {
    ...found,
    partial: peers.map((peer) => ({ peer, error: "no answer within 1 s", age_ms: 90_000 })),
  };
}

/** The answer as it is while there is nothing to list. */
export function withoutItems(found: unknown): unknown {
  return typeof found === "object" && found !== null && "items" in found
    ? { ...found, ...listed([]) }
    : found;
}

/** The answer of these resources; undefined for all others. */
export function managed(asked: Asked): unknown {
  const parts = asked.url.pathname.replace("/api/v2/", "").split("/").map(decodeURIComponent);
  if (parts[0] === "clusters") return clusters(asked, parts);
  if (parts[0] === "replications" && parts.length === 1 && asked.method === "GET") return flowList(asked);
  const found = configured(asked, parts);
  if (found !== undefined) return found;
  if (parts[0] === "config" && parts[1] === "plan")
    return planOf((asked.sent as { flow: FlowDefinition }).flow);
  if (parts[0] === "replications" && parts[1] === "actions") return bulkOf(asked);
  if (parts[0] === "replications" && asked.method === "POST") return newFlow(asked, parts);
  if (parts[0] === "replications" && parts.length === 3 && asked.method !== "GET")
    return changedFlow(asked, parts);
  return undefined;
}

function newFlow({ sent, redefine }: Asked, [, source = "", target = "", part, kind]: string[]): unknown {
  if (source === "") {
    const flow = defined(sent as FlowDefinition);
    redefine(null, flow);
    return new Created(settingsOf(flow));
  }
  if (part === "preview" && kind === "groups") return groupPreviewOf(source, target, sent as GroupPatterns);
  return part === "preview" ? previewOf(source, target, (sent as { allow: string[] }).allow) : undefined;
}

function defined({ source, target, paused }: FlowDefinition): FakeFlow {
  const state = paused
    ? { status: "paused" as const, reason: "An operator paused the flow.", cause: null }
    : { status: "starting" as const, reason: "The flow has no plan yet.", cause: null };
  const size = { megabytes_per_second: null, latency_ms: null, lag: null, topics: 0 };
  return { source, target, ...state, ...size, tasks: [0, 0] };
}

const TOUCHES = { flows: 1, topics: 12, partitions: 144, slots: 2 };
const endsOf = ({ source, target }: Pick<FakeFlow, "source" | "target">) =>
  `With this order, ${source}->${target} ends 1 checkpoint task, 2 source tasks`;

/** One action on many flows; only its dry run is known. */
function bulkOf({ sent }: Asked): unknown {
  const { action, flows, dry_run } = sent as BulkRequest;
  const text = (flow: { source: string; target: string }) =>
    action === "disable" ? `${endsOf(flow)}; its heartbeats continue` : `would ${action}`;
  const results = (flows ?? []).map((flow) => ({ ...flow, result: "done", text: text(flow), order: null }));
  return { action, dry_run, done: results.length, unchanged: 0, refused: 0, results, touches: TOUCHES };
}

/** PATCH enables or disables a flow, DELETE deletes it, or says what it would delete. */
function changedFlow({ url, method, sent, flows, redefine }: Asked, [, source, target]: string[]): unknown {
  const flow = flows.find((one) => one.source === source && one.target === target);
  if (flow === undefined) return new Refused(404, { detail: "There is no such flow." });
  if (url.searchParams.get("dry_run") === "true") {
    const kept = `its remote topics, their records and its positions in ${flow.target} are kept`;
    return { dry_run: true, touches: TOUCHES, text: [endsOf(flow), kept] };
  }
  const next = method === "DELETE" ? null : switched(flow, (sent as { enabled: boolean }).enabled);
  redefine(flow, next);
  return next === null ? NO_CONTENT : { ...settingsOf(next), order: null };
}

function flowList({ url, flows }: Asked): unknown {
  const matches = (side: "source" | "target") => (flow: FakeFlow) =>
    !url.searchParams.has(side) || flow[side] === url.searchParams.get(side);
  const asked = flows.filter(matches("source")).filter(matches("target"));
  const [from_ms, to_ms] = ["from_ms", "to_ms"].map((name) => Number(url.searchParams.get(name)));
  return listed(
    asked.map((flow) =>
      from_ms && to_ms ? flowInRange(flow, from_ms, to_ms) : listedFlowOf(flow, Date.now()),
    ),
  );
}

function clusters({ method, sent, aliases: known }: Asked, [, alias = "", part]: string[]): unknown {
  if (alias === "" && method === "GET") return listed(known.map(clusterOf));
  if (alias === "") return created(sent as { alias: string }, known);
  if (alias === "discovered") {
    const hour_ms = Date.now() - 3_600_000;
    const found = { source: "lab", target: "us-east", named_target: "use1", source_is_registered: false };
    return listed([{ ...found, first_seen_ms: hour_ms, heartbeat_ms: Date.now() - 2_000 }]);
  }
  if (alias === "test" || part === "test") return reportOf(alias === "test" ? "us-west" : alias);
  if (!known.includes(alias)) return new Refused(404, { detail: `There is no cluster ${alias}.` });
  if (method === "DELETE") {
    const detail = `Cluster ${alias} is used by us-east->us-west: delete these flows first.`;
    return alias === "us-west" ? new Refused(409, { title: "Conflict", detail }) : NO_CONTENT;
  }
  if (method === "PATCH") return changed(alias, sent as { owner: string });
  return clusterOf(alias);
}

function created(body: { alias: string }, known: string[]): unknown {
  if (!known.includes(body.alias)) {
    known.push(body.alias);
    return new Created(clusterOf(body.alias));
  }
  const errors = [{ field: "alias", detail: `there is a cluster ${body.alias} already` }];
  return new Refused(400, { title: "The request is not valid", detail: errors[0]?.detail, errors });
}

/** Someone else has changed the owner of us-west since the page was opened. */
function changed(alias: string, body: { owner: string }): unknown {
  if (alias !== "us-west") return { ...clusterOf(alias), owner: body.owner };
  const detail = "This has changed since you read it: read it again.";
  return new Refused(412, {
    title: "Changed in the meantime",
    detail,
    diff: [{ field: "owner", yours: body.owner, current: "network" }],
  });
}
