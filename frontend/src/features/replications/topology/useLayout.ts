import { useEffect, useState } from "react";
import { layoutInColumns } from "@/features/replications/topology/columns-layout";
import type { Graph } from "@/features/replications/topology/graph";
import type { Layout } from "@/features/replications/topology/routes";

const PATIENCE_MS = 2_000;

/**
 * The layout of the graph: the former one while the worker works again, a plain one if it fails or has not answered in
 * two seconds, and its own as soon as it answers; null until then.
 */
export function useLayout(graph: Graph): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null);
  const signature = graph.flows.map((flow) => flow.key).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal sets of flows have equal layouts
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    const patience = setTimeout(() => setLayout((former) => former ?? layoutInColumns(graph)), PATIENCE_MS);
    worker.onmessage = ({ data }: MessageEvent<Layout>) => {
      clearTimeout(patience);
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
