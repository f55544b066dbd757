import { expect, test } from "vitest";
import { applyFrame, type TopicState } from "@/live/frames";
import { aFlow, aFrame } from "@/test/builders";

const A = aFlow({ target: "a" });
const B = aFlow({ target: "b" });

function known(): TopicState {
  const result = applyFrame(null, aFrame([A, B]));
  if (result.kind !== "applied") throw new Error("a snapshot always applies");
  return result.state;
}

test("a snapshot makes rows of columns and cells", () => {
  expect(known().rows.get(A.key)).toEqual(A);
});

test("a snapshot names the rows that are gone", () => {
  const result = applyFrame(known(), aFrame([B], { seq: 7 }));
  expect(result).toMatchObject({ kind: "applied", removed: [A.key] });
});

test("a delta changes its rows and leaves the others alone", () => {
  const before = known();
  const result = applyFrame(before, aFrame([{ ...A, lag_offsets: 99 }], { type: "delta", seq: 2 }));
  if (result.kind !== "applied") throw new Error(result.kind);
  expect(result.state.rows.get(A.key)).toMatchObject({ lag_offsets: 99 });
  expect(result.state.rows.get(B.key)).toBe(before.rows.get(B.key));
});

test("a delta with fewer columns keeps what it leaves out", () => {
  const frame = aFrame([], { type: "delta", seq: 2, columns: ["key", "topics"], rows: [[A.key, 8]] });
  const result = applyFrame(known(), frame);
  if (result.kind !== "applied") throw new Error(result.kind);
  expect(result.state.rows.get(A.key)).toEqual({ ...A, topics: 8 });
});

test("a delta removes rows", () => {
  const result = applyFrame(known(), aFrame([], { type: "delta", seq: 2, removed: [B.key] }));
  if (result.kind !== "applied") throw new Error(result.kind);
  expect([...result.state.rows.keys()]).toEqual([A.key]);
});

test("a hole in the sequence asks for a new snapshot", () => {
  const result = applyFrame(known(), aFrame([A], { type: "delta", seq: 3 }));
  expect(result).toEqual({ kind: "resubscribe", reason: "hole" });
});

test("another epoch asks for a new snapshot", () => {
  const result = applyFrame(known(), aFrame([A], { type: "delta", seq: 2, epoch: "e2" }));
  expect(result).toEqual({ kind: "resubscribe", reason: "epoch" });
});

test("a delta before any snapshot asks for one", () => {
  expect(applyFrame(null, aFrame([A], { type: "delta" }))).toEqual({
    kind: "resubscribe",
    reason: "no snapshot",
  });
});

test("a delta that the snapshot already holds is ignored", () => {
  expect(applyFrame(known(), aFrame([A], { type: "delta", seq: 1 }))).toEqual({ kind: "ignored" });
});
