/** The command and the request behind each list of the page, each declared once. Pure. */
import { BY_CURSOR, type Paging } from "@/api/whole-list";
import { type ByHand, commandOf, flowPath, getFrom, type Pair } from "@/lib/by-hand";

interface Call {
  /** words of the command after `srm-control`; absent: `get` with the path */
  words?: readonly string[];
  options?: Readonly<Record<string, string | true>>;
  /** below /api/v2 */
  path: string;
  /** the field with the rows of an answer; absent: `items` */
  rows?: string;
  /** the list has no cursor and no CSV of the service: the parameter of the next page, if it has pages; the page makes both files */
  pagedBy?: "after" | null;
  /** the most rows of an answer that has no pages; absent: it takes no limit */
  most?: number;
}

const name = ({ source, target }: Pair) => `${source}->${target}`;
const query = ({ source, target }: Pair) => new URLSearchParams({ source, target }).toString();

/** Lists of the whole fleet. */
export const FLEET_LISTS = {
  flows: { words: ["flows", "list"], path: "replications" },
  clusters: { words: ["clusters", "list"], path: "clusters" },
  drivers: { words: ["drivers", "list"], path: "drivers" },
  services: { words: ["services", "list"], path: "remote-services" },
  properties: { words: ["config", "tree"], path: "properties" },
  versions: { words: ["config", "versions"], path: "config/versions" },
  tasks: { path: "tasks" },
  moves: { path: "tasks" },
  errors: { path: "tasks" },
  gone: { path: "drivers/gone" },
  discovered: { words: ["clusters", "discovered"], path: "clusters/discovered" },
  keys: { words: ["config", "keys"], path: "settings" },
  drafts: { path: "config/drafts" },
  differences: { path: "config/diff", rows: "differences", pagedBy: null },
} as const satisfies Readonly<Record<string, Call>>;

/** Lists of a flow. */
export const FLOW_LISTS = {
  topics: (flow) => ({ path: flowPath(flow, "topics") }),
  groups: (flow) => ({ words: ["groups", "status", name(flow)], path: flowPath(flow, "groups") }),
  tasks: (flow) => ({ path: `tasks?${query(flow)}` }),
  orders: (flow) => ({ words: ["orders", name(flow)], path: flowPath(flow, "actions") }),
  pauses: (flow) => ({ words: ["topics", "holds", name(flow)], path: flowPath(flow, "holds") }),
  stops: (flow) => ({ path: flowPath(flow, "stops") }),
  throttles: (flow) => ({ words: ["topics", "throttles", name(flow)], path: flowPath(flow, "throttles") }),
  resets: (flow) => ({ words: ["topics", "resets", name(flow)], path: flowPath(flow, "resets") }),
  events: (flow) => ({ words: ["events"], options: { ...flow }, path: `events?${query(flow)}` }),
  gaps: (flow) => ({ words: ["gaps"], options: { ...flow }, path: `gaps?${query(flow)}` }),
  audits: (flow) => ({ path: flowPath(flow, "audits") }),
  "audit results": (flow) => ({ path: flowPath(flow, "audits/state"), rows: "topics" }),
  "topic states": (flow) => ({ path: flowPath(flow, "topic-states"), pagedBy: "after" }),
  configs: (flow) => ({ path: flowPath(flow, "drift"), pagedBy: null, most: 1_000 }),
  values: (flow) => ({ words: ["config", "effective", name(flow)], path: flowPath(flow, "effective") }),
} as const satisfies Readonly<Record<string, (flow: Pair) => Call>>;

/** Lists of a part of a flow: of one of its topics, or of one of its audits. */
export const PART_LISTS = {
  partitions: (flow, topic) => ({ path: flowPath(flow, `topics/${encodeURIComponent(topic)}/partitions`) }),
  "partitions of the group": (flow, group) => ({
    words: ["groups", "status", name(flow)],
    options: { group, partitions: true },
    path: flowPath(flow, `groups/${encodeURIComponent(group)}/partitions`),
    rows: "partitions",
    pagedBy: null,
  }),
  findings: (flow, audit) => ({ path: flowPath(flow, `audits/${audit}/findings`) }),
} as const satisfies Readonly<Record<string, (flow: Pair, part: string) => Call>>;

/** Flows into or out of a cluster. */
const SIDE_LISTS = {
  source: (alias) => ({
    words: ["flows", "list"],
    options: { source: alias },
    path: sidePath("source", alias),
  }),
  target: (alias) => ({
    words: ["flows", "list"],
    options: { target: alias },
    path: sidePath("target", alias),
  }),
} as const satisfies Readonly<Record<string, (alias: string) => Call>>;

const sidePath = (side: string, alias: string) => `replications?${new URLSearchParams({ [side]: alias })}`;

/** The parameters of the list's query that are set on the page; those without a value are left out. */
export type ListFilters = Readonly<Record<string, string | undefined>>;

/** A list by its name and, where it is a part of something, what that is. */
export type ListPlace = (
  | { list: keyof typeof FLEET_LISTS }
  | { list: keyof typeof FLOW_LISTS; flow: Pair }
  | { list: keyof typeof PART_LISTS; flow: Pair; part: string }
  | { list: "flows"; side: keyof typeof SIDE_LISTS; alias: string }
) & { filters?: ListFilters };

function callOf(place: ListPlace): Call {
  if ("part" in place) return PART_LISTS[place.list](pairOf(place.flow), place.part);
  if ("flow" in place) return FLOW_LISTS[place.list](pairOf(place.flow));
  if ("side" in place) return SIDE_LISTS[place.side](place.alias);
  return FLEET_LISTS[place.list];
}

/** Only the two names: the caller's flow may have more fields. */
const pairOf = ({ source, target }: Pair): Pair => ({ source, target });

function withQuery(path: string, more: ListFilters): string {
  const given = Object.entries(more).filter((one): one is [string, string] => Boolean(one[1]));
  if (given.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}

/** How a list is read without the page: with filters, by its path. */
export function sameList(place: ListPlace): ByHand {
  const { words, options = {}, path } = callOf(place);
  const filtered = withQuery(path, place.filters ?? {});
  const command =
    words !== undefined && filtered === path ? commandOf(words, options) : commandOf(["get", filtered], {});
  return { command, request: getFrom(filtered) };
}

/** How the plans of flows are read without the page. */
export function samePlans(flows: readonly Pair[]): ByHand {
  const paths = flows.map((flow) => flowPath(flow, "plan"));
  return {
    command: paths.map((path) => commandOf(["get", path], {})).join("\n"),
    request: paths.map(getFrom).join("\n"),
  };
}

export interface ListFiles {
  /** the address of the whole list as CSV; null: it is made of the rows */
  csv: string | null;
  /** the address of its pages as JSON, and their field with the rows */
  pages: string;
  rows: string;
  paging: Paging;
  /** without an ending */
  name: string;
}

/** The whole list as a file, with its filters. */
export function filesOf(place: ListPlace): ListFiles {
  const { path, rows = "items", pagedBy = "cursor", most = null } = callOf(place);
  const address = withQuery(`/api/v2/${path}`, place.filters ?? {});
  return {
    csv: pagedBy === "cursor" ? withQuery(address, { format: "csv" }) : null,
    pages: pagedBy === "cursor" ? withQuery(address, { format: "json" }) : address,
    rows,
    paging: pagedBy === null ? { pagedBy, limit: most } : { ...BY_CURSOR, pagedBy },
    name: place.list.replaceAll(" ", "-"),
  };
}
