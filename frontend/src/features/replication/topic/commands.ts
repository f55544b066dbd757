/** The commands that show or do by hand what the page of a topic shows. Pure. */
import type { TopicAddress } from "@/api/topic";
import type { Cluster, FlowTopic } from "@/api/types";

export interface Command {
  title: string;
  text: string;
}

/** How Kafka's tools reach a cluster. */
export interface Reached {
  bootstrap: string;
  /** true: the tools need a file with the connection settings, which no address has */
  isSecured: boolean;
}

/** The file of those settings: `security.protocol`, `sasl.*` and `ssl.*`. */
export const CLIENT_FILE = "client.properties";

const PLAIN = "PLAINTEXT";

export function reached(alias: string, cluster: Pick<Cluster, "bootstrap" | "client"> | undefined): Reached {
  if (cluster === undefined) return { bootstrap: `<bootstrap of ${alias}>`, isSecured: false };
  return {
    bootstrap: cluster.bootstrap.join(","),
    isSecured: (cluster.client["security.protocol"] ?? PLAIN) !== PLAIN,
  };
}

export function topicCommands(
  address: TopicAddress,
  topic: FlowTopic,
  reach: (alias: string) => Reached,
  factor: string | null,
): Command[] {
  const tool = (name: string, alias: string, file = "--command-config") => {
    const { bootstrap, isSecured } = reach(alias);
    return `${name}.sh --bootstrap-server ${bootstrap}${isSecured ? ` ${file} ${CLIENT_FILE}` : ""}`;
  };
  const { source, target, topic: name } = address;
  const remote = topic.remote_topic;
  const describe = (alias: string, of: string) => `${tool("kafka-topics", alias)} --describe --topic ${of}`;
  const commands = [
    {
      title: "Describe the topic on both sides",
      text: [describe(source, name), ...(remote === null ? [] : [describe(target, remote)])].join("\n"),
    },
  ];
  if (remote !== null) {
    const size = topic.partitions === null ? "" : ` --partitions ${topic.partitions}`;
    // without the option, the target uses its own default, as -1 asks for
    const replicas = Number(factor) > 0 ? ` --replication-factor ${factor}` : "";
    commands.push(
      {
        title: "Set a config of the remote topic",
        text: `${tool("kafka-configs", target)} --alter --topic ${remote} --add-config <key>=<value>`,
      },
      {
        title: "Create the remote topic",
        text: `${tool("kafka-topics", target)} --create --if-not-exists --topic ${remote}${size}${replicas}`,
      },
      {
        title: "Read the copy from its beginning",
        text: `${tool("kafka-console-consumer", target, "--consumer.config")} --topic ${remote} --from-beginning --property print.offset=true --property print.partition=true`,
      },
    );
  }
  commands.push({
    title: "Audit the topic",
    text: `srm audit '${source}->${target}' --topic ${name} --wait`,
  });
  return commands;
}
