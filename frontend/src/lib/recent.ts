/** The flows that were opened last in this browser, the newest first. */

const STORED = "srm.recent_flows";
const MOST = 6;

/** Returns `source->target` names. */
export function recentFlows(): readonly string[] {
  try {
    const found: unknown = JSON.parse(globalThis.localStorage?.getItem(STORED) ?? "[]");
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function noteRecentFlow(name: string): void {
  const flows = [name, ...recentFlows().filter((other) => other !== name)].slice(0, MOST);
  try {
    globalThis.localStorage?.setItem(STORED, JSON.stringify(flows));
  } catch {
    // A browser that stores nothing has no recent flows.
  }
}
