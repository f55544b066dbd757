/** What the palette finds: pages, flows, clusters and topics that match the typed words. Pure. */
import type { RemoteTopic } from "@/api/types";
import { statusWord, urgency } from "@/lib/status";
import { matchesWords } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

type Page =
  | "/replications"
  | "/clusters"
  | "/drivers"
  | "/services"
  | "/configuration"
  | "/configuration/keys";

export type Target =
  | { to: Page; q?: string }
  | { to: "/replications/$source/$target"; source: string; target: string; topic?: string }
  | { to: "shortcuts" }
  | { to: "live" };

export interface Place {
  id: string;
  group: "Flows" | "Topics" | "Clusters" | "Pages" | "Actions";
  label: string;
  note: string;
  target: Target;
}

const MAX_FLOWS = 8;
const MAX_CLUSTERS = 4;

const FIXED: readonly Place[] = [
  page("/replications", "Replications", "g r"),
  page("/clusters", "Clusters", "g c"),
  page("/drivers", "Drivers", "g d"),
  page("/services", "Services", "g s"),
  page("/configuration", "Configuration", "g o"),
  page("/configuration/keys", "Keys of the configuration", "Types, defaults, who sets them"),
  {
    id: "live",
    group: "Actions",
    label: "Pause or resume live updates",
    note: "The numbers of all pages",
    target: { to: "live" },
  },
  {
    id: "shortcuts",
    group: "Actions",
    label: "Keyboard shortcuts",
    note: "?",
    target: { to: "shortcuts" },
  },
];

function page(to: Page, label: string, note: string): Place {
  return { id: to, group: "Pages", label, note, target: { to } };
}

/** The most urgent flows first, as they are the most likely goal. */
function flowPlaces(flows: readonly FlowRow[], typed: string): Place[] {
  return flows
    .filter((flow) => matchesWords(`${flow.source} ${flow.target}`, typed))
    .sort((a, b) => urgency(a.status) - urgency(b.status) || a.key.localeCompare(b.key))
    .slice(0, MAX_FLOWS)
    .map(({ key, source, target, status }) => ({
      id: `flow ${key}`,
      group: "Flows",
      label: `${source} → ${target}`,
      note: statusWord(status),
      target: { to: "/replications/$source/$target", source, target },
    }));
}

function clusterPlaces(flows: readonly FlowRow[], typed: string): Place[] {
  const aliases = [...new Set(flows.flatMap(({ source, target }) => [source, target]))].sort();
  return aliases
    .filter((alias) => matchesWords(alias, typed))
    .slice(0, MAX_CLUSTERS)
    .map((alias) => ({
      id: `cluster ${alias}`,
      group: "Clusters",
      label: alias,
      note: "The flows of this cluster",
      target: { to: "/replications", q: alias },
    }));
}

function topicPlaces(topics: readonly RemoteTopic[]): Place[] {
  return topics.map(({ source, target, topic, remote_topic }) => ({
    id: `topic ${source}->${target} ${topic}`,
    group: "Topics",
    label: topic === remote_topic ? topic : `${topic} → ${remote_topic}`,
    note: `${source} → ${target}`,
    target: { to: "/replications/$source/$target", source, target, topic },
  }));
}

/** All matches in the order in which they are shown; `topics` match already, as the service searched them. */
export function findPlaces(
  typed: string,
  flows: readonly FlowRow[],
  topics: readonly RemoteTopic[],
): readonly Place[] {
  const fixed = FIXED.filter((place) => matchesWords(place.label, typed));
  const clusters = typed.trim() === "" ? [] : clusterPlaces(flows, typed);
  return [...flowPlaces(flows, typed), ...topicPlaces(topics), ...clusters, ...fixed];
}
