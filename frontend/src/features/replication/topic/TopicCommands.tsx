import { useQuery } from "@tanstack/react-query";
import { clustersQuery } from "@/api/queries";
import type { TopicAddress } from "@/api/topic";
import type { FlowTopic } from "@/api/types";
import { Card } from "@/components/Card";
import { CopyText } from "@/components/form/CopyText";
import { topicCommands } from "@/features/replication/topic/commands";

/** The commands of Kafka and of `srm` that show or do the same by hand. */
export function TopicCommands({ address, topic }: { address: TopicAddress; topic: FlowTopic }) {
  const { data } = useQuery(clustersQuery);
  const bootstrapOf = (alias: string) =>
    data?.items.find((cluster) => cluster.alias === alias)?.bootstrap.join(",") ?? `<bootstrap of ${alias}>`;
  const commands = topicCommands(address, topic, bootstrapOf);
  return (
    <Card title="By hand" note="the same with Kafka's tools and srm">
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
