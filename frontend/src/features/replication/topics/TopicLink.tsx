import { Link } from "@tanstack/react-router";
import type { TopicAddress } from "@/api/topic";
import { NameText } from "@/components/NameText";

/** The name of a topic as a link to its page. */
export function TopicLink({ source, target, topic }: TopicAddress) {
  return (
    <Link
      to="/replications/$source/$target/topics/$topic"
      params={{ source, target, topic }}
      search={(search) => ({ from: search.from, to: search.to })}
      className="topic-link"
    >
      <NameText name={topic} />
    </Link>
  );
}
