import type { Cluster } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";

export function Reachability({ cluster }: { cluster: Cluster }) {
  if (cluster.problem) return <Reason tone="bad" word="Cannot be used" reason={cluster.problem} />;
  if (cluster.reachable === null) return <StateBadge tone="idle" word="Not asked yet" />;
  if (cluster.reachable) return <StateBadge tone="ok" word="Reachable" />;
  return <Reason tone="bad" word="Unreachable" reason={cluster.error} />;
}

function Reason({ tone, word, reason }: { tone: "bad"; word: string; reason: string | null }) {
  return (
    <div>
      <StateBadge tone={tone} word={word} />
      {reason !== null && <span className="reason">{reason}</span>}
    </div>
  );
}
