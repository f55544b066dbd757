/** The flows that were opened last in this browser, the newest first. */
import { readStored, writeStored } from "@/lib/stored/stored";

const STORED = "srm.recent_flows";
const MOST = 6;

/** Returns `source->target` names. */
export function recentFlows(): readonly string[] {
  const found = readStored(STORED);
  return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
}

export function noteRecentFlow(name: string): void {
  writeStored(STORED, [name, ...recentFlows().filter((other) => other !== name)].slice(0, MOST));
}
