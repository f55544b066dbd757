/** The columns of the table of clusters, and its filter. */
import { Link } from "@tanstack/react-router";
import type { Cluster } from "@/api/types";
import { TERM_MEANINGS } from "@/components/definition/meanings";
import { Figure, Unknown } from "@/components/Figure";
import { NameList } from "@/components/NameText";
import type { CellColumn } from "@/components/table/ColumnTable";
import { LabelTags } from "@/components/table/LabelTags";
import { CertificateBadge } from "@/features/clusters/CertificateBadge";
import { Reachability } from "@/features/clusters/Reachability";
import { count } from "@/lib/format";
import { matchesWords } from "@/lib/words";

const labelsText = ({ labels }: Cluster) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
const locationWord = ({ location }: Cluster) => (location === "external" ? "External" : "Co-located");

export const CLUSTER_COLUMNS: readonly CellColumn<Cluster>[] = [
  {
    id: "alias",
    label: "Alias",
    value: ({ alias }) => alias,
    cell: ({ alias }) => (
      <Link to="/clusters/$alias" params={{ alias }}>
        {alias}
      </Link>
    ),
    cellClass: "flow-cell nowrap",
  },
  {
    id: "reachability",
    label: "Reachability",
    hint: TERM_MEANINGS.reachability,
    value: ({ problem, reachable }) => (problem ? 0 : reachable === null ? null : 1 + Number(reachable)),
    cell: (cluster) => <Reachability cluster={cluster} />,
  },
  {
    id: "brokers",
    label: "Brokers",
    hint: TERM_MEANINGS.brokers,
    value: ({ brokers }) => brokers,
    isNumber: true,
    cell: ({ brokers }) => <Figure value={brokers} as={count} />,
  },
  {
    id: "kafka",
    label: "Kafka",
    hint: TERM_MEANINGS.kafka_release,
    value: ({ kafka_version }) => kafka_version,
    cell: ({ kafka_version }) => kafka_version ?? <Unknown why="not known yet" />,
  },
  {
    id: "certificate",
    label: "Certificate",
    hint: TERM_MEANINGS.certificate,
    value: ({ certificate_until_ms }) => certificate_until_ms,
    cell: (cluster) => <Certificate cluster={cluster} />,
    cellClass: "nowrap",
  },
  {
    id: "location",
    label: "Location",
    hint: TERM_MEANINGS.location,
    value: locationWord,
    cell: locationWord,
    cellClass: "nowrap",
  },
  {
    id: "owner",
    label: "Owner",
    value: ({ owner }) => owner || null,
    cell: ({ owner }) => owner || <Unknown why="no owner" />,
    cellClass: "muted",
  },
  {
    id: "bootstrap",
    label: "Bootstrap servers",
    value: ({ bootstrap }) => bootstrap.join(", "),
    cell: ({ bootstrap }) => <NameList names={bootstrap} />,
    cellClass: "topic-cell muted",
  },
  {
    id: "criticality",
    label: "Criticality",
    hint: TERM_MEANINGS.criticality,
    value: ({ criticality }) => criticality,
    cell: ({ criticality }) => criticality,
    isExtra: true,
  },
  {
    id: "labels",
    label: "Labels",
    value: (cluster) => labelsText(cluster) || null,
    cell: ({ labels }) =>
      Object.keys(labels).length === 0 ? <Unknown why="no labels" /> : <LabelTags labels={labels} />,
    isExtra: true,
  },
  {
    id: "cluster_id",
    label: "Cluster id",
    hint: TERM_MEANINGS.cluster_id,
    value: ({ cluster_id }) => cluster_id,
    cell: ({ cluster_id }) => cluster_id ?? <Unknown why="not known yet" />,
    cellClass: "muted",
    isExtra: true,
  },
];

function Certificate({ cluster: { certificate_until_ms: until_ms } }: { cluster: Cluster }) {
  if (until_ms === null) return <Unknown why="none presented" />;
  return <CertificateBadge until_ms={until_ms} />;
}

/** Every word of the filter must be in the alias, an address, the owner, the criticality or a label. Pure. */
export function matchesCluster(cluster: Cluster, q: string): boolean {
  const { alias, bootstrap, owner, criticality } = cluster;
  return matchesWords(`${alias} ${bootstrap.join(" ")} ${owner} ${criticality} ${labelsText(cluster)}`, q);
}
