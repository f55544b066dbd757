/** Replaces what jsdom lacks: the size of things, workers, a canvas. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import type { Graph } from "@/features/replications/topology/graph";
import { layoutOf } from "@/features/replications/topology/layout";

// Parts of the page are loaded when they are first needed, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 15_000 });
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

window.matchMedia = (query: string): MediaQueryList =>
  Object.assign(new EventTarget(), {
    matches: false,
    media: query,
    onchange: null,
    addListener: vi.fn(),
    removeListener: vi.fn(),
  });

class NoResize implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

window.ResizeObserver = NoResize;
window.scrollTo = vi.fn();
Element.prototype.scrollIntoView = vi.fn();

/** jsdom has no workers: the layout is computed at once. */
class InlineWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;

  postMessage(graph: Graph): void {
    queueMicrotask(() => this.onmessage?.({ data: layoutOf(graph) }));
  }

  terminate(): void {
    this.onmessage = null;
  }
}

vi.stubGlobal("Worker", InlineWorker);
vi.mock("@/components/chart/TimeChart", () => import("@/test/FakeTimeChart"));
