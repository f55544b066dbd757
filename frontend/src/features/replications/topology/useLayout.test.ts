import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Graph } from "@/features/replications/topology/graph";
import type { Layout } from "@/features/replications/topology/routes";
import { useLayout } from "@/features/replications/topology/useLayout";

afterEach(() => {
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
  constructor() {
    FakeWorker.last = this;
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
