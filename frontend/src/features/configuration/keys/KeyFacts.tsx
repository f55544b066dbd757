import type { ReactNode } from "react";
import type { KnownKey } from "@/api/types";

const CHANGES: Record<string, string> = {
  live: "applied while records are copied",
  restart: "the running slots restart",
};

/** Type, default, levels and effect of a known key. */
export function KeyFacts({ known }: { known: KnownKey | undefined }) {
  if (known === undefined)
    return <p className="muted">No Kafka client and no part of the replication uses this key.</p>;
  return (
    <dl className="key-facts">
      <Fact name="Type">{known.kind}</Fact>
      <Fact name="Default">
        {known.default === null ? (
          <span className="muted">none</span>
        ) : (
          <code>{known.default || "empty"}</code>
        )}
      </Fact>
      <Fact name="Allowed">{known.allowed}</Fact>
      <Fact name="Key of">{known.owner}</Fact>
      <Fact name="Levels">{known.levels.length === 0 ? "none" : known.levels.join(", ")}</Fact>
      <Fact name="After a change">
        {CHANGES[known.change ?? ""] ?? <span className="muted">nothing</span>}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
