import { Popover } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { useState } from "react";
import type { AnyMetric } from "@/lib/units";

interface DefinitionProps {
  metric: AnyMetric;
  /** the name of the metric on the page */
  name: string;
}

/** A question mark that shows the definition of a metric, as the service declares it. */
export function Definition({ metric, name }: DefinitionProps) {
  const [text, setText] = useState<string | null>(null);
  const read = async (): Promise<void> => {
    const { DEFINITIONS } = await import("@/components/definition/definitions");
    setText(DEFINITIONS[metric]);
  };
  return (
    <Popover width={260} position="bottom" withArrow transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <button
          type="button"
          className="definition"
          aria-label={`Definition of ${name}`}
          onClick={() => void read()}
        >
          <IconHelp size={15} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Definition of ${name}`} role="note">
        <p className="definition-text">{text === null ? "…" : `${name}: ${text}.`}</p>
      </Popover.Dropdown>
    </Popover>
  );
}
