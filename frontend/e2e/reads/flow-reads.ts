/** What the page reads of one flow; the types of the service hold each answer. */
import type { paths } from "../../src/api/schema";
import { series } from "../fake-series.ts";
import { type FakeFlow, flowOf, topicsInRange, topicsOf } from "../fleet.ts";
import { partitionsOf } from "../flow-parts.ts";
import { groupList, placesOf } from "../groups.ts";
import { listed, Refused } from "../manage.ts";
import { auditStateOf, driftOf, planOf, recordPairOf, topicStatesOf } from "../topics/topic-parts.ts";

type OfFlow = "/api/v2/replications/{source}/{target}";
type Path = Extract<keyof paths, `${OfFlow}${string}`>;
type Read<P extends Path> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer Answer } } } };
}
  ? Answer
  : never;

interface Place {
  flow: FakeFlow;
  url: URL;
  now_ms: number;
}

/** By the first word of the path below the flow. */
const PARTS = {
  series: ({ flow, url }): Read<`${OfFlow}/series`> => series(url, flow),
  throttle: (): Read<`${OfFlow}/throttle`> => ({ bytes_per_second: null, until_ms: null }),
  plan: ({ flow, now_ms }): Read<`${OfFlow}/plan`> => planOf(flow, now_ms),
  drift: ({ flow, url }): Read<`${OfFlow}/drift`> => driftOf(flow, url),
  "topic-states": ({ flow, url }): Read<`${OfFlow}/topic-states`> => topicStatesOf(flow, url),
  holds: (): Read<`${OfFlow}/holds`> => ({ ...listed([]), topics: 0 }),
  throttles: (): Read<`${OfFlow}/throttles`> => ({ ...listed([]), topics: 0 }),
  resets: (): Read<`${OfFlow}/resets`> => listed([]),
  audits: (): Read<`${OfFlow}/audits`> => listed([]),
  "audits/estimate": (): Read<`${OfFlow}/audits/estimate`> => ({
    ...{ topics: 148, partitions: 1776, records: 48_120_334, unmeasured: 12 },
  }),
  "audits/state": ({ url, now_ms }): Read<`${OfFlow}/audits/state`> =>
    auditStateOf(url.searchParams.get("topic"), now_ms),
  groups: ({ flow, url, now_ms }): Read<`${OfFlow}/groups`> => groupList(flow, url, now_ms),
  topics: (place): Read<`${OfFlow}/topics`> => {
    const q = place.url.searchParams.get("q") ?? "";
    return listed(topicsAt(place).filter((topic) => topic.topic.includes(q)));
  },
} satisfies Record<string, (place: Place) => unknown>;

function topicsAt({ flow, url, now_ms }: Place) {
  return url.searchParams.has("from_ms") ? topicsInRange(flow, now_ms) : topicsOf(flow, now_ms);
}

function topicPart(place: Place, topic: string, below: string | undefined, isRecord: boolean) {
  const { flow, url, now_ms } = place;
  if (isRecord) return recordPairOf(flow, url, now_ms);
  if (below !== undefined) return listed(partitionsOf(flow, now_ms));
  const found = topicsAt(place).find((each) => each.topic === topic);
  return found ?? new Refused(404, { detail: `The flow copies no topic ${topic}.` });
}

/** The answer of a part of a flow; undefined if there is no such part. */
export function flowRead(place: Place, part?: string, name?: string, below?: string): unknown {
  if (part === undefined) return flowOf(place.flow, place.now_ms);
  if (part === "topics" && name !== undefined)
    return topicPart(place, name, below, place.url.pathname.includes("/records/"));
  if (part === "groups" && name !== undefined)
    return placesOf(place.flow, decodeURIComponent(name), place.now_ms);
  const path = name === undefined ? part : `${part}/${name}`;
  return Object.hasOwn(PARTS, path) ? PARTS[path as keyof typeof PARTS](place) : undefined;
}
