import { useEffect, useState } from "react";
import { layoutInColumns } from "@/features/replications/topology/columns-layout";
import type { Graph } from "@/features/replications/topology/graph";
import workerUrl from "@/features/replications/topology/layout.worker?worker&url";
import type { Layout } from "@/features/replications/topology/routes";
import { keep, readKept } from "@/lib/stored/last-few";

const PATIENCE_MS = 2_000;
export const KEPT = "srm.topology_layouts";
const MOST_KEPT = 4;

/**
 * The layout of the graph: the one that was computed before if it is kept, the former one while the worker works again,
 * a plain one if it fails or has not answered in two seconds, and its own as soon as it answers; null until then.
 */
export function useLayout(graph: Graph): Layout | null {
  const signature = signatureOf(graph);
  const [layout, setLayout] = useState(() => keptLayout(graph, signature));
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal graphs have equal signatures and layouts
  useEffect(() => {
    const kept = keptLayout(graph, signature);
    if (kept !== null) return setLayout(kept);
    const worker = new Worker(workerUrl, { type: "module" });
    const patience = setTimeout(() => setLayout((former) => former ?? layoutInColumns(graph)), PATIENCE_MS);
    worker.onmessage = ({ data }: MessageEvent<Layout>) => {
      clearTimeout(patience);
      keep(KEPT, signature, data, MOST_KEPT);
      setLayout(data);
    };
    worker.onerror = () => setLayout(layoutInColumns(graph));
    worker.postMessage(graph);
    return () => {
      clearTimeout(patience);
      worker.terminate();
    };
  }, [signature]);
  return layout;
}

/** Nodes, edges and the address of the worker, which has the hash of its code: a new release computes again. */
function signatureOf({ clusters, flows }: Graph): string {
  return [workerUrl, clusters.join(" "), ...flows.map(({ key }) => key)].join("\n");
}

function keptLayout({ clusters, flows }: Graph, signature: string): Layout | null {
  return readKept(KEPT, signature, (value): value is Layout => {
    const layout = value as Partial<Layout> | null | undefined;
    return (
      clusters.every((cluster) => isPoint(layout?.clusters?.[cluster])) &&
      flows.every(({ key }) => isRoute(layout?.routes?.[key]))
    );
  });
}

const isPoint = (value: unknown): boolean => {
  const { x, y } = (value ?? {}) as { x?: unknown; y?: unknown };
  return typeof x === "number" && typeof y === "number";
};

const isRoute = (value: unknown): boolean => {
  const { points, label } = (value ?? {}) as { points?: unknown; label?: unknown };
  return Array.isArray(points) && points.every(isPoint) && isPoint(label);
};
