import { IconArrowNarrowRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface FlowNameProps {
  /** the name of a cluster, or a link to it */
  source: ReactNode;
  target: ReactNode;
}

export function FlowName({ source, target }: FlowNameProps) {
  return (
    <span className="flow-name">
      {source}
      <IconArrowNarrowRight size={16} aria-hidden />
      <span className="visually-hidden"> to </span>
      {target}
    </span>
  );
}
