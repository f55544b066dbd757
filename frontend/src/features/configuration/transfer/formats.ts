/** The formats of configuration files, as people know them. */
import type { TreeFormat } from "@/api/types";

interface Format {
  label: string;
  file: string;
  /** a line that shows what such a file looks like */
  example: string;
}

export const FORMATS: Record<TreeFormat, Format> = {
  mm2: {
    label: "MirrorMaker 2 properties",
    file: "mm2.properties",
    example: "clusters = east, west",
  },
  srm: {
    label: "SRM properties",
    file: "srm.properties",
    example: "connectors.tasks.max = 4",
  },
  "replication-configs": {
    label: "Cloudera Manager, separated by a bar",
    file: "replication-configs.txt",
    example: "east->west.enabled=true|east->west.topics=orders",
  },
  "replication-configs-semicolon": {
    label: "Cloudera Manager, separated by semicolons",
    file: "replication-configs.txt",
    example: "east->west.enabled=true;east->west.topics=orders",
  },
  operator: {
    label: "KafkaConnector or KafkaMirrorMaker2 resources",
    file: "resources.yaml",
    example: "kind: KafkaMirrorMaker2",
  },
};

const NAMES = Object.keys(FORMATS) as TreeFormat[];

export const FORMAT_OPTIONS = NAMES.map((value) => ({ value, label: FORMATS[value].label }));

/** The most likely format of a text. Pure. */
export function formatOf(text: string, otherwise: TreeFormat): TreeFormat {
  if (/^\s*(apiVersion|kind)\s*:/m.test(text)) return "operator";
  if (/^\s*(workers|connectors)\./m.test(text)) return "srm";
  const lines = text.trim().split("\n");
  if (lines.length === 1 && /->.*\|/.test(text)) return "replication-configs";
  if (lines.length === 1 && /->.*;/.test(text)) return "replication-configs-semicolon";
  return otherwise;
}
