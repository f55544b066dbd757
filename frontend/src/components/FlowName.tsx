import { IconArrowNarrowRight } from "@tabler/icons-react";

export function FlowName({ source, target }: { source: string; target: string }) {
  return (
    <span className="flow-name">
      {source}
      <IconArrowNarrowRight size={16} aria-hidden />
      <span className="visually-hidden"> to </span>
      {target}
    </span>
  );
}
