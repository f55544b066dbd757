import type { Graph } from "@/features/replications/topology/graph";
import { layoutOf } from "@/features/replications/topology/layout";

/** Answers each graph with its layout. */
self.onmessage = ({ data }: MessageEvent<Graph>) => {
  self.postMessage(layoutOf(data));
};
