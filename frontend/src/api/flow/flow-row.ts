/** A flow of REST in the shape of the live topic, so that the page has one kind of row. */
import { FLOW_ROW_PLACES } from "@/api/schema-values";
import type { FlowRow, ListedFlow } from "@/api/types";
import { flowKey } from "@/live/flow-row";

type Shared = Pick<FlowRow, keyof typeof FLOW_ROW_PLACES>;

export function flowRowOf(flow: ListedFlow, as_of_ms: number): FlowRow {
  const places = Object.entries(FLOW_ROW_PLACES);
  const shared = Object.fromEntries(places.map(([column, place]) => [column, valueAt(flow, place)]));
  return { ...(shared as unknown as Shared), key: flowKey(flow.source, flow.target), updated_ms: as_of_ms };
}

function valueAt(flow: ListedFlow, place: string): unknown {
  return place.split(".").reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], flow);
}
