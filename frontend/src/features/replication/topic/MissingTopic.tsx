import { IconMapOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reasonOf } from "@/api/problem";
import { type TopicAddress, topicsFoundQuery } from "@/api/topic";
import type { TopicState } from "@/api/types";
import { RefreshButton } from "@/components/answer/RefreshButton";
import { EmptyState, LoadingRows } from "@/components/states";
import { STATE_HINTS } from "@/features/replication/topics/words";
import { wordOf } from "@/lib/words";

/** The most that the service answers: names that contain the name of the topic are found, too. */
const MOST_FOUND = 1_000;

/** In place of a topic that no driver reports: the reason, if the source has the topic. */
export function MissingTopic({ source, target, topic }: TopicAddress) {
  const answer = useQuery(topicsFoundQuery({ source, target }, topic, MOST_FOUND));
  const { data, error, refetch } = answer;
  if (data === undefined)
    return (
      <section className="card">
        {error === null ? (
          <LoadingRows rows={2} label="Loading the state of the topic" />
        ) : (
          <EmptyState
            icon={IconMapOff}
            title="No driver reports this topic"
            action={
              <RefreshButton label="Retry" isReading={answer.isFetching} onRefresh={() => void refetch()} />
            }
          >
            Why it is not copied is unknown: {reasonOf(error)}
          </EmptyState>
        )}
      </section>
    );
  const found = data.items.find((each) => each.topic === topic);
  const { title, text } = found === undefined ? unknown({ source, target, topic }) : uncopied(found);
  return (
    <section className="card">
      <EmptyState icon={IconMapOff} title={title}>
        {text} See{" "}
        <Link
          to="/replications/$source/$target"
          params={{ source, target }}
          search={({ from, to }) => ({
            ...{ from, to, tab: "topics" as const },
            ...(found && { state: found.state, topic }),
          })}
        >
          {found === undefined ? "its topics" : `the ${found.state} topics of the flow`}
        </Link>
        .
      </EmptyState>
    </section>
  );
}

function unknown({ source, target, topic }: TopicAddress) {
  const text = (
    <>
      The flow from {source} to {target} does not copy a topic named <code>{topic}</code>, and has not copied
      one.
    </>
  );
  return { title: "Topic not found", text };
}

function uncopied({ state, reason }: TopicState) {
  const text = `${wordOf(state)}: ${reason ?? STATE_HINTS[state]}.`;
  if (state === "replicated") return { title: "No driver reports this topic yet", text };
  return { title: "The flow does not copy this topic", text };
}
