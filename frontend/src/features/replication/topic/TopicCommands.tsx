import { useQuery } from "@tanstack/react-query";
import { clustersQuery } from "@/api/queries";
import { factorQuery, type TopicAddress } from "@/api/topic";
import type { FlowTopic } from "@/api/types";
import { Card } from "@/components/Card";
import { CopyText } from "@/components/copy/CopyText";
import { CLIENT_FILE, reached, topicCommands } from "@/features/replication/topic/commands";

/** The commands of Kafka and of `srm` that show or do the same by hand. */
export function TopicCommands({ address, topic }: { address: TopicAddress; topic: FlowTopic }) {
  const { data } = useQuery(clustersQuery);
  const { data: factor } = useQuery(factorQuery(address));
  const reach = (alias: string) =>
    reached(
      alias,
      data?.items.find((cluster) => cluster.alias === alias),
    );
  const commands = topicCommands(address, topic, reach, factor ?? null);
  const isSecured = [address.source, address.target].some((alias) => reach(alias).isSecured);
  return (
    <Card title="By hand" note="the same with Kafka's tools and srm">
      {isSecured && (
        <p className="card-body muted">
          <code>{CLIENT_FILE}</code> has the security settings of the cluster that the command reaches.
        </p>
      )}
      <div className="by-hand">
        {commands.map(({ title, text }) => (
          <div key={title}>
            <h3>{title}</h3>
            <CopyText text={text} label={title} />
          </div>
        ))}
      </div>
    </Card>
  );
}
