/** The patterns of a flow as they are typed, and their names in requests and properties. */
import type { FlowAddress } from "@/api/queries";

export interface Patterns extends FlowAddress {
  topicsAllow: string;
  topicsDeny: string;
  groupsAllow: string;
  groupsDeny: string;
}
export type PatternField = Exclude<keyof Patterns, keyof FlowAddress>;

/** The keys of properties. */
export const PATTERN_KEYS: Readonly<Record<string, PatternField>> = {
  topics: "topicsAllow",
  "topics.exclude": "topicsDeny",
  groups: "groupsAllow",
  "groups.exclude": "groupsDeny",
};
/** Fields of the request for a preview of topics. */
export const TOPIC_FIELDS: Readonly<Record<string, PatternField>> = {
  allow: "topicsAllow",
  deny: "topicsDeny",
};
/** Fields of the request for a preview of groups. */
export const GROUP_FIELDS: Readonly<Record<string, PatternField>> = {
  allow: "groupsAllow",
  deny: "groupsDeny",
  topics_allow: "topicsAllow",
  topics_deny: "topicsDeny",
};
