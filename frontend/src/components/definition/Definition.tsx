import { HelpNote } from "@/components/definition/HelpNote";
import type { AnyMetric } from "@/lib/units";

interface DefinitionProps {
  metric: AnyMetric;
  /** the name of the metric on the page */
  name: string;
}

/** A question mark that shows the definition of a metric, as the service declares it. */
export function Definition({ metric, name }: DefinitionProps) {
  const read = async () => {
    const { DEFINITIONS } = await import("@/components/definition/definitions");
    return `${name}: ${DEFINITIONS[metric]}.`;
  };
  return <HelpNote name={name} read={read} />;
}
