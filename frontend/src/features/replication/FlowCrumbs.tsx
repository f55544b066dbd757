import { Link } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { FlowName } from "@/components/FlowName";
import { Breadcrumbs } from "@/components/PageTitle";

interface RangeInSearch {
  from?: string | number | undefined;
  to?: number | undefined;
}

const keepRange = ({ from, to }: RangeInSearch) => ({ from, to });

interface FlowCrumbsProps extends FlowAddress {
  topic?: string;
  /** a page below that of the topic */
  place?: string;
}

/** The way to a flow, to one of its topics, or to a page below that. */
export function FlowCrumbs({ source, target, topic, place }: FlowCrumbsProps) {
  const list = (
    <Link key="list" to="/replications" search={keepRange}>
      Replications
    </Link>
  );
  if (topic === undefined) {
    return <Breadcrumbs>{[list, <FlowName key="flow" source={source} target={target} />]}</Breadcrumbs>;
  }
  const params = { source, target };
  return (
    <Breadcrumbs>
      {[
        list,
        <Link key="flow" to="/replications/$source/$target" params={params} search={keepRange}>
          <FlowName source={source} target={target} />
        </Link>,
        <Link
          key="topics"
          to="/replications/$source/$target"
          params={params}
          search={(search) => ({ ...keepRange(search), tab: "topics" as const })}
        >
          Topics
        </Link>,
        ...(place === undefined
          ? [topic]
          : [
              <Link
                key="topic"
                to="/replications/$source/$target/topics/$topic"
                params={{ source, target, topic }}
                search={keepRange}
              >
                {topic}
              </Link>,
              place,
            ]),
      ]}
    </Breadcrumbs>
  );
}
