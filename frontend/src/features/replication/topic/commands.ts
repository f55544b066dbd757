/** The commands that show or do by hand what the page of a topic shows. Pure. */
import type { TopicAddress } from "@/api/topic";
import type { FlowTopic } from "@/api/types";

export interface Command {
  title: string;
  text: string;
}

type BootstrapOf = (alias: string) => string;

export function topicCommands(address: TopicAddress, topic: FlowTopic, bootstrapOf: BootstrapOf): Command[] {
  const { source, target, topic: name } = address;
  const remote = topic.remote_topic;
  const describe = (alias: string, of: string) =>
    `kafka-topics.sh --bootstrap-server ${bootstrapOf(alias)} --describe --topic ${of}`;
  const commands = [
    {
      title: "Describe the topic on both sides",
      text: [describe(source, name), ...(remote === null ? [] : [describe(target, remote)])].join("\n"),
    },
  ];
  if (remote !== null) {
    const size = topic.partitions === null ? "" : ` --partitions ${topic.partitions}`;
    commands.push(
      {
        title: "Set a config of the remote topic",
        text: `kafka-configs.sh --bootstrap-server ${bootstrapOf(target)} --alter --topic ${remote} --add-config <key>=<value>`,
      },
      {
        title: "Create the remote topic",
        text: `kafka-topics.sh --bootstrap-server ${bootstrapOf(target)} --create --if-not-exists --topic ${remote}${size}`,
      },
      {
        title: "Read the copy from its beginning",
        text: `kafka-console-consumer.sh --bootstrap-server ${bootstrapOf(target)} --topic ${remote} --from-beginning --property print.offset=true --property print.partition=true`,
      },
    );
  }
  commands.push({
    title: "Audit the topic",
    text: `srm audit '${source}->${target}' --topic ${name} --wait`,
  });
  return commands;
}
