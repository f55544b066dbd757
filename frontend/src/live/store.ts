/** The current state of all flows; each reader subscribes to a single flow. */
import type { LiveFrame } from "@/api/types";
import type { Series } from "@/lib/series";
import { type ConnectionFacts, type ConnectionWord, connectionWord } from "@/live/connection";
import type { FlowRow } from "@/live/flow-row";
import { applyFrame, type TopicState } from "@/live/frames";
import { beat } from "@/live/pulse";
import { FlowRing, type RingMetric, type RingRow } from "@/live/rings";
import { totalsOf, totalsRow } from "@/live/totals";

type Listener = () => void;

/** The ring of all flows together. No flow can have this key: its own holds an arrow. */
export const ALL_FLOWS = "*";

/** REST tells those of some minutes: drawn as a point of now, the slowest record of them would be a peak. */
const NO_LATENCIES = {
  latency_p50_ms: undefined,
  latency_p95_ms: undefined,
  latency_p99_ms: undefined,
  latency_max_ms: undefined,
};

/** So that rows do not jump under the pointer each second. */
const SETTLE_MS = 5_000;

const NO_SERIES: Series = { times: [], values: [] };

export class LiveStore {
  private topic: TopicState | null = null;
  private flows: ReadonlyMap<string, FlowRow> = new Map();
  private all: readonly FlowRow[] | null = null;
  private calm: { flows: readonly FlowRow[] | null; at_ms: number } = { flows: null, at_ms: 0 };
  private known: readonly FlowRow[] | null = null;
  private readonly rings = new Map<string, FlowRing>();
  private readonly rowListeners = new Map<string, Set<Listener>>();
  private readonly tickListeners = new Set<Listener>();
  private readonly connectionListeners = new Set<Listener>();
  private facts: ConnectionFacts = {
    is_open: false,
    is_signed_out: false,
    heard_ms: null,
    lost_ms: null,
    was_open: false,
  };
  private paused = false;
  private updated_ms: number | null = null;

  /** Returns false when a frame was missed and a new snapshot is needed. */
  applyFrame(frame: LiveFrame): boolean {
    const result = applyFrame(this.topic, frame);
    if (result.kind === "resubscribe") return false;
    if (result.kind === "ignored") return true;
    this.topic = result.state;
    const rows = result.state.rows as ReadonlyMap<string, unknown> as ReadonlyMap<string, FlowRow>;
    this.accept(rows, frame.time_ms, [...result.changed, ...result.removed]);
    return true;
  }

  /** Rows read over REST: the first paint, and every ten seconds while there is no socket. */
  applyRows(rows: readonly FlowRow[], time_ms: number): void {
    const isLive = this.facts.is_open && this.topic !== null;
    if (isLive) return;
    const flows = new Map(rows.map((row) => [row.key, row]));
    this.accept(flows, time_ms, [...new Set([...this.flows.keys(), ...flows.keys()])], NO_LATENCIES);
  }

  private accept(
    flows: ReadonlyMap<string, FlowRow>,
    time_ms: number,
    changed: readonly string[],
    unlike: Partial<RingRow> = {},
  ): void {
    for (const [key, row] of flows) this.ringOf(key).push(time_ms, { ...row, ...unlike });
    this.ringOf(ALL_FLOWS).push(time_ms, { ...totalsRow(totalsOf([...flows.values()])), ...unlike });
    for (const key of this.rings.keys()) if (!flows.has(key) && key !== ALL_FLOWS) this.rings.delete(key);
    if (this.paused) return;
    this.flows = flows;
    this.all = [...flows.values()];
    this.updated_ms = time_ms;
    this.settle();
    for (const key of changed) this.rowListeners.get(key)?.forEach(call);
    this.tickListeners.forEach(call);
    beat();
  }

  flow(key: string): FlowRow | undefined {
    return this.flows.get(key);
  }

  /** null until the first rows have arrived. The same array until the next frame. */
  list(): readonly FlowRow[] | null {
    return this.all;
  }

  /** The list as tables sort it: older than the newest one by some seconds at most, and never in another set or status. */
  settled(): readonly FlowRow[] | null {
    return this.calm.flows;
  }

  /** The list as it was when a flow last came, went or changed its status: only its keys and statuses are those of now. */
  members(): readonly FlowRow[] | null {
    return this.known;
  }

  private settle(): void {
    const now_ms = Date.now();
    const isDue = now_ms - this.calm.at_ms >= SETTLE_MS;
    const isAlike = areAlike(this.all, this.known);
    if (isDue || !isAlike) this.calm = { flows: this.all, at_ms: now_ms };
    if (!isAlike) this.known = this.all;
  }

  series(key: string, metric: RingMetric, from_ms: number): Series {
    const to_ms = this.paused ? (this.updated_ms ?? 0) : Number.POSITIVE_INFINITY;
    return this.rings.get(key)?.between(metric, from_ms, to_ms) ?? NO_SERIES;
  }

  lastUpdate(): number | null {
    return this.updated_ms;
  }

  isPaused(): boolean {
    return this.paused;
  }

  /** While paused, the page does not change but frames are still applied, so that resuming needs no new snapshot. */
  setPaused(paused: boolean): void {
    this.paused = paused;
    const rows = this.topic?.rows as ReadonlyMap<string, unknown> | undefined;
    if (!paused && rows !== undefined) {
      this.accept(rows as ReadonlyMap<string, FlowRow>, this.facts.heard_ms ?? Date.now(), [...rows.keys()]);
    }
    this.connectionListeners.forEach(call);
  }

  connection(now_ms: number): ConnectionWord {
    return connectionWord(this.facts, now_ms);
  }

  opened(): void {
    this.setFacts({ is_open: true, was_open: true, lost_ms: null, heard_ms: Date.now() });
  }

  heard(): void {
    this.facts = { ...this.facts, heard_ms: Date.now() };
  }

  lost(): void {
    this.topic = null;
    this.setFacts({ is_open: false, lost_ms: this.facts.lost_ms ?? Date.now() });
  }

  signedOut(): void {
    this.setFacts({ is_open: false, is_signed_out: true });
  }

  private setFacts(change: Partial<ConnectionFacts>): void {
    this.facts = { ...this.facts, ...change };
    this.connectionListeners.forEach(call);
  }

  onFlow(key: string, listener: Listener): () => void {
    const listeners = this.rowListeners.get(key) ?? new Set();
    this.rowListeners.set(key, listeners);
    return subscribed(listeners, listener);
  }

  onTick(listener: Listener): () => void {
    return subscribed(this.tickListeners, listener);
  }

  onConnection(listener: Listener): () => void {
    return subscribed(this.connectionListeners, listener);
  }

  private ringOf(key: string): FlowRing {
    const ring = this.rings.get(key) ?? new FlowRing();
    this.rings.set(key, ring);
    return ring;
  }
}

/** True when both lists have the same flows in the same statuses. */
function areAlike(one: readonly FlowRow[] | null, other: readonly FlowRow[] | null): boolean {
  if (one === null || other === null || one.length !== other.length) return false;
  return one.every((flow, place) => flow.key === other[place]?.key && flow.status === other[place]?.status);
}

function call(listener: Listener): void {
  listener();
}

function subscribed(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
