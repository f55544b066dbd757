import { Link } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { FlowName } from "@/components/FlowName";
import { Breadcrumbs } from "@/components/PageTitle";

interface RangeInSearch {
  from?: string | number | undefined;
  to?: number | undefined;
}

const keepRange = ({ from, to }: RangeInSearch) => ({ from, to });

/** The way to a flow, or to one of its topics. */
export function FlowCrumbs({ source, target, topic }: FlowAddress & { topic?: string }) {
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
        topic,
      ]}
    </Breadcrumbs>
  );
}
