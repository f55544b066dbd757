import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { EventsTable } from "@/features/replication/events/EventsTable";
import { GapsTable } from "@/features/replication/events/GapsTable";

const TYPING_MS = 250;

/** Events and gaps of a flow, or of one of its topics. */
export function EventsCard(flow: FlowAddress) {
  const { topic: q = "" } = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const filter = (topic: string | undefined): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, topic }), replace: true });
  return (
    <>
      <Card
        title="Events"
        note="kept for 30 days"
        tools={
          <>
            <ListFilter label="Name of a topic" value={q} onChange={filter} />
            <ListCommands list="events" flow={flow} filters={{ topic: asked }} />
          </>
        }
      >
        <EventsTable
          flow={flow}
          topic={asked}
          noMatch={
            asked !== "" && (
              <NoMatch title={`No event concerns the topic ${asked}`} onClear={() => filter(undefined)} />
            )
          }
        />
      </Card>
      <Card
        title="Gaps"
        note="source records that are not copied"
        tools={<ListCommands list="gaps" flow={flow} filters={{ topic: asked }} />}
      >
        <GapsTable flow={flow} topic={asked} />
      </Card>
    </>
  );
}
