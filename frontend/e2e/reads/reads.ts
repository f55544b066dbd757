/** What the page only reads: drivers, tasks, events, metrics, hits of the search, and the parts of flows. */
import type { components } from "../../src/api/schema";
import type { Marks, SearchHit } from "../../src/api/types.ts";
import { manySeries, summary } from "../fake-series.ts";
import { type FakeFlow, goneDriversOf, topicsOf } from "../fleet.ts";
import { eventsOf, tasksOf } from "../flow-parts.ts";
import { receiptsOf, translationsOf } from "../groups.ts";
import { type Asked, listed, Refused } from "../manage.ts";
import { remoteServices } from "../services/remote-services.ts";
import { gapsOf } from "../topics/topic-parts.ts";
import { flowRead } from "./flow-reads.ts";

type Schemas = components["schemas"];

/** The answer of these resources; undefined for all others. */
export function read(asked: Asked): unknown {
  const { url, flows } = asked;
  const now_ms = Date.now();
  const [first = "", second = "", third = "", ...rest] = url.pathname.replace("/api/v2/", "").split("/");
  if (first === "replications") return flowPart(asked, second, third, rest);
  if (asked.method !== "GET") return undefined;
  const topic = url.searchParams.get("topic");
  if (first === "drivers" && second === "gone") return listed(goneDriversOf(now_ms));
  if (first === "remote-services") return remoteServices(now_ms);
  if (first === "tasks") return listed(tasksIn(url, flows, now_ms));
  if (first === "about") return { version: "1.4.0", python: "3.11.7", database: "PostgreSQL" };
  if (first === "events") return listed(eventsOf(flowIn(url, flows), topic, now_ms));
  if (first === "gaps") return listed(gapsOf(flowIn(url, flows), topic, now_ms));
  if (first === "marks") return marksIn(url, flows, now_ms);
  if (first === "metrics") return second === "flows" ? manySeries(url, flows) : summary(url, flows);
  return first === "search" ? hitsIn(url, flows, now_ms) : undefined;
}

function flowPart({ method, url, flows, sent }: Asked, source: string, target: string, rest: string[]) {
  const flow = flows.find((one) => one.source === source && one.target === target);
  if (flow === undefined) return new Refused(404, { detail: "There is no such flow." });
  const path = rest.join("/");
  const [part, name, below] = rest;
  if (method === "GET") return flowRead({ flow, url, now_ms: Date.now() }, part, name, below);
  if (path === "translate") return translationsOf(flow, sent);
  if (path !== "groups/sync") return undefined;
  const { groups, dry_run } = sent as { groups: string[]; dry_run: boolean };
  return receiptsOf(flow, groups, dry_run);
}

function marksIn(url: URL, flows: readonly FakeFlow[], now_ms: number): Marks {
  const named = new Set(url.searchParams.getAll("flow"));
  const wanted = flows.filter(({ source, target }) => named.size === 0 || named.has(`${source}->${target}`));
  const [from_ms, to_ms] = ["from_ms", "to_ms"].map((name) => Number(url.searchParams.get(name)));
  const isInside = (at_ms: number) => at_ms >= (from_ms ?? 0) && at_ms < (to_ms ?? now_ms);
  return {
    events: wanted.flatMap((flow) => eventsOf(flow, null, now_ms)).filter(({ time_ms }) => isInside(time_ms)),
    gaps: wanted.flatMap((flow) => gapsOf(flow, null, now_ms)).filter((gap) => isInside(gap.detected_ms)),
    versions: [],
    is_cut: false,
  };
}

function tasksIn(url: URL, flows: readonly FakeFlow[], now_ms: number) {
  if (url.searchParams.has("source")) return tasksOf(flowIn(url, flows), now_ms);
  return flows.flatMap((flow) => tasksOf(flow, now_ms));
}

/** Hits of topics; the page finds flows and clusters itself. */
function hitsIn(url: URL, flows: readonly FakeFlow[], now_ms: number): Schemas["Search"] {
  const q = url.searchParams.get("q") ?? "";
  const common = { rank: 1, text: null, group: null, is_planned: true };
  const topics = flows.flatMap(({ source, target, ...flow }) =>
    topicsOf({ source, target, ...flow }, now_ms).map(
      ({ topic, remote_topic }): SearchHit => ({
        ...{ kind: "topic", label: topic, ...common, source, target, topic, remote_topic },
      }),
    ),
  );
  const items = topics
    .filter(({ topic, remote_topic }) => topic?.includes(q) || remote_topic?.includes(q))
    .slice(0, Number(url.searchParams.get("limit") ?? 50));
  return { items, cut: [], as_of_ms: now_ms, partial: [] };
}

function flowIn(url: URL, flows: readonly FakeFlow[]): FakeFlow | undefined {
  const [source, target] = [url.searchParams.get("source"), url.searchParams.get("target")];
  return flows.find((one) => one.source === source && one.target === target);
}
