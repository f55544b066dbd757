import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import TopologyGraph from "@/features/replications/topology/TopologyGraph";

afterEach(() => vi.unstubAllGlobals());

test("clusters that cannot be arranged leave a word instead of a picture that never comes", async () => {
  class BrokenWorker {
    onerror: (() => void) | null = null;
    postMessage(): void {
      queueMicrotask(() => this.onerror?.());
    }
    terminate(): void {}
  }
  vi.stubGlobal("Worker", BrokenWorker);
  render(<TopologyGraph graph={{ clusters: [], flows: [] }} selected={undefined} onSelect={() => {}} />);
  expect(await screen.findByText(/could not be arranged/)).toBeTruthy();
});
