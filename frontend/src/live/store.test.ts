import { expect, test, vi } from "vitest";
import { RING_CAPACITY } from "@/live/rings";
import { ALL_FLOWS, LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";

const A = aFlow({ target: "a" });
const B = aFlow({ target: "b" });
const START_MS = 1_700_000_000_000;

function delta(seq: number, flow = A) {
  return aFrame([flow], { type: "delta", seq, time_ms: START_MS + seq * 1000 });
}

test("a reader of one flow hears nothing of another", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A, B]));
  const [ofA, ofB] = [vi.fn(), vi.fn()];
  store.onFlow(A.key, ofA);
  store.onFlow(B.key, ofB);
  store.applyFrame(delta(2));
  expect([ofA.mock.calls.length, ofB.mock.calls.length]).toEqual([1, 0]);
});

test("a missed frame leaves the page as it is and asks for a snapshot", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  expect(store.applyFrame(delta(9, { ...A, topics: 77 }))).toBe(false);
  expect(store.flow(A.key)?.topics).toBe(3);
});

test("the points of a flow are kept, each at its second", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  store.applyFrame(delta(2, { ...A, lag_offsets: 50 }));
  expect(store.series(A.key, "lag_offsets", 0).values).toEqual([10, 50]);
});

test("an unknown value is a hole in the line and not a zero", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([{ ...A, lag_offsets: null }]));
  expect(store.series(A.key, "lag_offsets", 0).values).toEqual([null]);
});

test("the oldest points make room for new ones", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  for (let seq = 2; seq <= RING_CAPACITY + 10; seq++) store.applyFrame(delta(seq));
  const { times } = store.series(A.key, "lag_offsets", 0);
  expect(times).toHaveLength(RING_CAPACITY);
  expect(times.at(-1)).toBe(START_MS + (RING_CAPACITY + 10) * 1000);
});

test("the points of all flows together are sums", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A, B]));
  expect(store.series(ALL_FLOWS, "records_per_second", 0).values).toEqual([2000]);
});

test("rows of REST are shown before the first frame", () => {
  const store = new LiveStore();
  store.applyRows([A], START_MS);
  expect(store.list()).toEqual([A]);
});

test("the slowest record of some minutes, as REST tells it, is no point of now", () => {
  const store = new LiveStore();
  store.applyRows([A], START_MS);
  expect(store.series(A.key, "latency_max_ms", 0)).toEqual({ times: [], values: [] });
  expect(store.series(A.key, "records_per_second", 0).values).toEqual([A.records_per_second]);

  store.applyFrame(aFrame([A], { time_ms: START_MS + 1_000 }));
  expect(store.series(A.key, "latency_max_ms", 0).values).toEqual([A.latency_max_ms]);
});

test("rows of REST never overwrite live ones", () => {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([A]));
  store.applyRows([B], START_MS);
  expect(store.list()?.map((flow) => flow.key)).toEqual([A.key]);
});

test("rows of REST take over when the socket is lost", () => {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([A]));
  store.lost();
  store.applyRows([B], START_MS + 30_000);
  expect(store.list()?.map((flow) => flow.key)).toEqual([B.key]);
});

test("a paused page does not change and needs no new snapshot to continue", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  store.setPaused(true);
  expect(store.applyFrame(delta(2, { ...A, topics: 8 }))).toBe(true);
  expect(store.flow(A.key)?.topics).toBe(3);
  expect(store.series(A.key, "lag_offsets", 0).values).toHaveLength(1);
  store.setPaused(false);
  expect(store.flow(A.key)?.topics).toBe(8);
  expect(store.series(A.key, "lag_offsets", 0).times).toContain(START_MS + 2_000);
});

test("the members change with a status and with the set of flows, not with numbers", () => {
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  const before = store.members();
  store.applyFrame(delta(2, { ...A, lag_offsets: 50 }));
  expect(store.members()).toBe(before);
  store.applyFrame(delta(3, { ...A, status: "degraded" }));
  expect(store.members()?.map(({ status }) => status)).toEqual(["degraded"]);
  store.applyFrame(delta(4, B));
  expect(store.members()).toHaveLength(2);
});

test("the settled list is at most some seconds old, and never of another status", () => {
  vi.useFakeTimers();
  const store = new LiveStore();
  store.applyFrame(aFrame([A]));
  const lag = () => store.settled()?.[0]?.lag_offsets;
  store.applyFrame(delta(2, { ...A, lag_offsets: 50 }));
  expect(lag()).toBe(10);
  vi.advanceTimersByTime(5_000);
  store.applyFrame(delta(3, { ...A, lag_offsets: 60 }));
  expect(lag()).toBe(60);
  store.applyFrame(delta(4, { ...A, lag_offsets: 70, status: "degraded" }));
  expect(lag()).toBe(70);
  vi.useRealTimers();
});
