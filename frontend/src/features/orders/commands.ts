/** An order as a command of srm-control and as a REST request, to copy. */
import type { FlowAddress } from "@/api/queries";
import type { OrderBody, ResetOrder } from "@/api/types";

export interface SameOrder {
  command: string;
  request: string;
}

/** A word as a shell reads it literally. Pure. */
export function quoted(word: string): string {
  return /^[\w.:/=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

type Options = Readonly<Record<string, string | number | null | undefined>>;

function commandOf(words: readonly string[], options: Options): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [`--${name}`, quoted(String(value))],
  );
  return ["srm-control", ...words.map(quoted), ...given].join(" ");
}

function requestOf({ source, target }: FlowAddress, path: string, body: object): string {
  const flow = `${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
  const url = `${window.location.origin}/api/v2/replications/${flow}/${path}`;
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -X POST ${url} -H "Authorization: Bearer $SRM_TOKEN" -H 'Content-Type: application/json' -d '${json}'`;
}

export function sameOrder(flow: FlowAddress, order: OrderBody): SameOrder {
  const { action, reason, scope, until_ms, bytes_per_second } = order;
  const rate = action === "throttle" ? [bytes_per_second === null ? "off" : String(bytes_per_second)] : [];
  const words = ["flows", action, `${flow.source}->${flow.target}`, ...rate];
  const until = until_ms === null || until_ms === undefined ? null : new Date(until_ms).toISOString();
  const options = { topic: scope?.topic, partition: scope?.partition, reason, until };
  return { command: commandOf(words, options), request: requestOf(flow, "actions", order) };
}

export function sameReset(flow: FlowAddress, order: Omit<ResetOrder, "dry_run">): SameOrder {
  const { topic, partition, to, reason } = order;
  const words = ["topics", "reset", `${flow.source}->${flow.target}`];
  const options = { topic, partition, to: placeWord(to), reason };
  return { command: commandOf(words, options), request: requestOf(flow, "resets", order) };
}

function placeWord(to: ResetOrder["to"]): string {
  if (typeof to === "string") return to;
  return "offset" in to ? `offset:${to.offset}` : new Date(to.timestamp_ms).toISOString();
}
