/** Applies one frame to the state of a topic. Pure: without socket or clock. */
import type { LiveFrame } from "@/api/types";

export type LiveRow = Readonly<Record<string, unknown>>;

export interface TopicState {
  readonly epoch: string;
  readonly seq: number;
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, LiveRow>;
}

export type FrameResult =
  | { kind: "applied"; state: TopicState; changed: readonly string[]; removed: readonly string[] }
  /** Already included: a frame that was sent while a snapshot was created. */
  | { kind: "ignored" }
  /** A frame was missed: a new snapshot is required. */
  | { kind: "resubscribe"; reason: "hole" | "epoch" | "no snapshot" };

export function applyFrame(known: TopicState | null, frame: LiveFrame): FrameResult {
  if (frame.type === "snapshot") return applySnapshot(known, frame);
  if (known === null) return { kind: "resubscribe", reason: "no snapshot" };
  if (frame.epoch !== known.epoch) return { kind: "resubscribe", reason: "epoch" };
  if (frame.seq <= known.seq) return { kind: "ignored" };
  if (frame.seq !== known.seq + 1) return { kind: "resubscribe", reason: "hole" };
  return applyDelta(known, frame);
}

function applySnapshot(known: TopicState | null, frame: LiveFrame): FrameResult {
  const rows = new Map<string, LiveRow>();
  for (const cells of frame.rows) {
    const row = rowOf(frame.columns, cells, undefined);
    if (row !== null) rows.set(row.key, row.row);
  }
  const removed = [...(known?.rows.keys() ?? [])].filter((key) => !rows.has(key));
  const state = { epoch: frame.epoch, seq: frame.seq, columns: frame.columns, rows };
  return { kind: "applied", state, changed: [...rows.keys()], removed };
}

function applyDelta(known: TopicState, frame: LiveFrame): FrameResult {
  const rows = new Map(known.rows);
  const columns = frame.columns.length > 0 ? frame.columns : known.columns;
  const changed: string[] = [];
  for (const cells of frame.rows) {
    const row = rowOf(columns, cells, known.rows);
    if (row === null) continue;
    rows.set(row.key, row.row);
    changed.push(row.key);
  }
  const removed = frame.removed.filter((key) => rows.delete(key));
  return { kind: "applied", state: { ...known, seq: frame.seq, rows }, changed, removed };
}

/** A delta may carry fewer columns than the snapshot: the others keep their values. */
function rowOf(
  columns: readonly string[],
  cells: readonly unknown[],
  before: ReadonlyMap<string, LiveRow> | undefined,
): { key: string; row: LiveRow } | null {
  const fresh: Record<string, unknown> = {};
  columns.forEach((column, place) => {
    fresh[column] = cells[place] ?? null;
  });
  const key = fresh.key;
  if (typeof key !== "string") return null;
  return { key, row: { ...before?.get(key), ...fresh } };
}
