import { useEffect, useState } from "react";
import type { Graph } from "@/features/replications/topology/graph";
import type { Layout } from "@/features/replications/topology/routes";

/** The layout of the graph; null until the worker has answered, and the former one while it works again. */
export function useLayout(graph: Graph): Layout | "failed" | null {
  const [layout, setLayout] = useState<Layout | "failed" | null>(null);
  const signature = graph.flows.map((flow) => flow.key).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal sets of flows have equal layouts
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Layout>) => setLayout(data);
    worker.onerror = () => setLayout("failed");
    worker.postMessage(graph);
    return () => worker.terminate();
  }, [signature]);
  return layout;
}
