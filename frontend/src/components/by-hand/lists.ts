/** The command and the request behind each list of the page, each declared once. Pure. */
import { type ByHand, commandOf, flowPath, getFrom, type Pair } from "@/lib/by-hand";

interface Call {
  /** words of the command after `srm-control`; absent: `get` with the path */
  words?: readonly string[];
  options?: Readonly<Record<string, string>>;
  /** below /api/v2 */
  path: string;
}

const name = ({ source, target }: Pair) => `${source}->${target}`;
const query = ({ source, target }: Pair) => new URLSearchParams({ source, target }).toString();

/** Lists of the whole fleet. */
const FLEET_LISTS = {
  flows: { words: ["flows", "list"], path: "replications" },
  clusters: { words: ["clusters", "list"], path: "clusters" },
  drivers: { words: ["drivers", "list"], path: "drivers" },
  services: { words: ["services", "list"], path: "remote-services" },
  properties: { words: ["config", "tree"], path: "properties" },
  versions: { words: ["config", "versions"], path: "config/versions" },
  tasks: { path: "tasks" },
} as const satisfies Readonly<Record<string, Call>>;

/** Lists of a flow. */
const FLOW_LISTS = {
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
  values: (flow) => ({ words: ["config", "effective", name(flow)], path: flowPath(flow, "effective") }),
} as const satisfies Readonly<Record<string, (flow: Pair) => Call>>;

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

/** A list by its name and, where it is a part of something, what that is. */
export type ListPlace =
  | { list: keyof typeof FLEET_LISTS }
  | { list: keyof typeof FLOW_LISTS; flow: Pair }
  | { list: "flows"; side: keyof typeof SIDE_LISTS; alias: string };

function callOf(place: ListPlace): Call {
  if ("flow" in place) {
    const { source, target } = place.flow;
    return FLOW_LISTS[place.list]({ source, target });
  }
  if ("side" in place) return SIDE_LISTS[place.side](place.alias);
  return FLEET_LISTS[place.list];
}

/** How a list is read without the page. */
export function sameList(place: ListPlace): ByHand {
  const { words, options = {}, path } = callOf(place);
  return { command: commandOf(words ?? ["get", path], options), request: getFrom(path) };
}
