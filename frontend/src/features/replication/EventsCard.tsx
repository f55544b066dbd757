import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { Card } from "@/components/Card";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { EventsTable, EventsTools, useEventsView } from "@/features/replication/events/EventsTable";
import { GapsTable, GapsTools, useGapsView } from "@/features/replication/events/GapsTable";

const TYPING_MS = 250;

/** Events and gaps of a flow, or of one of its topics. */
export function EventsCard(flow: FlowAddress) {
  const { topic: q = "" } = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const events = useEventsView(false);
  const gaps = useGapsView(false);
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
            <EventsTools flow={flow} topic={asked} view={events} />
          </>
        }
      >
        <EventsTable
          flow={flow}
          topic={asked}
          view={events}
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
        tools={<GapsTools flow={flow} topic={asked} view={gaps} />}
      >
        <GapsTable flow={flow} topic={asked} view={gaps} />
      </Card>
    </>
  );
}
