import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Graph } from "@/features/replications/topology/graph";
import type { Layout } from "@/features/replications/topology/routes";
import { KEPT, useLayout } from "@/features/replications/topology/useLayout";
import { forgetKept } from "@/lib/stored/last-few";

afterEach(() => {
  localStorage.clear();
  forgetKept(KEPT);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const flow = (source: string, target: string) => ({ key: `${source} ${target}`, source, target });
const GRAPH: Graph = {
  clusters: ["asia", "eu", "us"],
  flows: [flow("asia", "eu"), flow("eu", "us"), flow("asia", "us")],
};

/** A worker that answers when the test says so. */
class FakeWorker {
  static last: FakeWorker | null = null;
  onmessage: ((event: { data: Layout }) => void) | null = null;
  onerror: (() => void) | null = null;
  static count = 0;
  constructor() {
    FakeWorker.last = this;
    FakeWorker.count += 1;
  }
  postMessage(): void {}
  terminate(): void {}
}

function columnsOf(layout: Layout | null): string[][] {
  const places = Object.entries(layout?.clusters ?? {});
  const columns = [...new Set(places.map(([, { x }]) => x))].sort((a, b) => a - b);
  return columns.map((column) => places.filter(([, { x }]) => x === column).map(([name]) => name));
}

test("clusters that the worker cannot arrange are drawn in columns by what they are", () => {
  vi.stubGlobal("Worker", FakeWorker);
  const { result } = renderHook(() => useLayout(GRAPH));
  act(() => FakeWorker.last?.onerror?.());

  expect(columnsOf(result.current)).toEqual([["asia"], ["eu"], ["us"]]);
  expect(Object.keys(result.current?.routes ?? {})).toEqual(GRAPH.flows.map(({ key }) => key));
});

test("a worker that does not answer is not waited for, and its late answer is drawn", () => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", FakeWorker);
  const { result } = renderHook(() => useLayout(GRAPH));
  expect(result.current).toBeNull();
  act(() => void vi.advanceTimersByTime(2_000));
  expect(columnsOf(result.current)).toEqual([["asia"], ["eu"], ["us"]]);

  const late: Layout = { clusters: { asia: { x: 7, y: 7 } }, routes: {} };
  act(() => FakeWorker.last?.onmessage?.({ data: late }));
  expect(result.current).toBe(late);
});

const point = { x: 1, y: 2 };
const WHOLE: Layout = {
  clusters: Object.fromEntries(GRAPH.clusters.map((name) => [name, point])),
  routes: Object.fromEntries(GRAPH.flows.map(({ key }) => [key, { points: [point, point], label: point }])),
};

/** Renders the layout; returns it, and the number of workers that it has started. */
function visited(graph: Graph, answer: Layout | null = null): [Layout | null, number] {
  vi.stubGlobal("Worker", FakeWorker);
  const before = FakeWorker.count;
  const { result, unmount } = renderHook(() => useLayout(graph));
  if (answer !== null) act(() => FakeWorker.last?.onmessage?.({ data: answer }));
  unmount();
  return [result.current, FakeWorker.count - before];
}

test("the layout of a graph is computed once, also for a later page; another graph has its own", () => {
  expect(visited(GRAPH, WHOLE)).toEqual([WHOLE, 1]);
  expect(visited(GRAPH)).toEqual([WHOLE, 0]);
  forgetKept(KEPT);
  expect(visited(GRAPH)).toEqual([WHOLE, 0]);
  expect(visited({ ...GRAPH, flows: GRAPH.flows.slice(1) })).toEqual([null, 1]);
});

test.each([
  ["no JSON", "{"],
  ["no list", "7"],
  ["a list of something else", "[null, 3]"],
])("stored content that is %s is ignored", (_, content) => {
  localStorage.setItem(KEPT, content);
  expect(visited(GRAPH)).toEqual([null, 1]);
});

test("a stored layout without all clusters and flows is computed again", () => {
  visited(GRAPH, { ...WHOLE, clusters: { asia: point } });
  expect(visited(GRAPH)).toEqual([null, 1]);
});

test("the last four layouts are kept", () => {
  const graphs = [1, 2, 3, 4, 5].map((number) => ({ clusters: [], flows: [flow("a", `b${number}`)] }));
  for (const graph of graphs) {
    const key = graph.flows[0]?.key ?? "";
    visited(graph, { clusters: {}, routes: { [key]: { points: [], label: point } } });
  }
  expect(graphs.map((graph) => visited(graph)[1])).toEqual([1, 0, 0, 0, 0]);
});
