import { Button } from "@mantine/core";
import { IconChecks } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { samePlans } from "@/components/by-hand/lists";
import { Card } from "@/components/Card";
import { TermNote } from "@/components/definition/TermNote";
import { FlowName } from "@/components/FlowName";
import { EmptyState, LoadingRows } from "@/components/states";
import { flowPlanQuery, flowsOfQuery } from "@/features/clusters/requests";

/** Flows of a cluster whose plans are read at first, and added by a press. */
const PAGE = 20;

/** What the plans of the flows into and out of a cluster say about internal topics on it, such as a wrong cleanup policy. */
export function InternalTopics({ alias }: { alias: string }) {
  const into = useQuery(flowsOfQuery("target", alias)).data;
  const outOf = useQuery(flowsOfQuery("source", alias)).data;
  const all = [...(into?.items ?? []), ...(outOf?.items ?? [])];
  const [most, setMost] = useState(PAGE);
  const flows = all.slice(0, most);
  const isCut = flows.length < all.length;
  const plans = useQueries({ queries: flows.map(({ source, target }) => flowPlanQuery({ source, target })) });
  const notes = flows.flatMap((flow, place) =>
    (plans[place]?.data?.warnings ?? [])
      // plans of older drivers name no cluster: most internal topics are in the target
      .filter(({ code, cluster }) => code.startsWith("internal_topic") && (cluster ?? flow.target) === alias)
      .map(({ code, text }) => ({ flow, code, text })),
  );
  if (flows.length === 0) return null;
  const isReading = plans.some(({ isPending }) => isPending);
  const unread = plans.filter(({ error, data: plan }) => error !== null && plan === undefined).length;
  return (
    <Card
      title="Internal topics"
      note={
        isCut ? `of ${flows.length} of ${all.length} flows of this cluster` : "of the flows of this cluster"
      }
      tools={
        <>
          <TermNote term="internal_topics" name="internal topics" />
          <CommandsButton label="Command and request of the plans">
            <CallsToCopy same={samePlans(flows)} />
          </CommandsButton>
        </>
      }
    >
      {isReading && <LoadingRows rows={1} label="Reading the plans of the flows" />}
      {!isReading && notes.length === 0 && unread === 0 && (
        <EmptyState
          icon={IconChecks}
          title={
            isCut
              ? `No internal topic of these ${flows.length} flows has a wrong policy`
              : "No internal topic has a wrong policy"
          }
        >
          The drivers check cleanup policies, partitions and replicas with each plan.
        </EmptyState>
      )}
      {isCut && !isReading && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setMost(most + PAGE)}>
            Check more flows
          </Button>
        </div>
      )}
      {unread > 0 && <p className="card-body muted">The plans of {unread} flows could not be read.</p>}
      {notes.length > 0 && (
        <ul className="plan-notes">
          {notes.map(({ flow, code, text }) => (
            <li key={`${flow.source} ${flow.target} ${code} ${text}`}>
              <FlowName source={flow.source} target={flow.target} />
              <span className="reason">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
