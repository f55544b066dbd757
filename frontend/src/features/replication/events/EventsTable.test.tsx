import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { EventsTable, EventsTools, useEventsView } from "@/features/replication/events/EventsTable";
import { GapsTable, useGapsView } from "@/features/replication/events/GapsTable";
import { renderWithAddress } from "@/test/render";

const FLOW = { source: "us-east", target: "eu" };
const EVENT = {
  ...{ id: 1, time_ms: 5_000, ...FLOW, task: "us-east->eu/source-0", driver: "berlin", scope: "partition" },
  ...{ topic: "orders", partition: 3, from_state: "caught_up", to_state: "stalled", cause: null, text: null },
};
const GAP = {
  ...{ id: 1, detected_ms: 5_000, ...FLOW, topic: "orders", partition: 3, cause: "retention", topic_id: "0" },
  ...{ from_offset: 0, to_offset: 10, records: 10, policy: "stop" },
};

/** Answers with the first of many rows, and notes the order that is asked for. */
function answerWithOne(row: object): (string | null)[] {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(new URL(request.url).searchParams.get("ordering"));
    return Response.json({ items: [row], next_cursor: "next", as_of_ms: 1, partial: [] });
  });
  return asked;
}

function Events() {
  const view = useEventsView(false);
  return (
    <>
      <EventsTools flow={FLOW} topic="" view={view} />
      <EventsTable flow={FLOW} topic="" view={view} />
    </>
  );
}

function Gaps() {
  return <GapsTable flow={FLOW} topic="" view={useGapsView(false)} />;
}

test("events are sorted by the service over all of them, by every column; the address keeps the order", async () => {
  const user = userEvent.setup();
  const asked = answerWithOne(EVENT);
  const address = await renderWithAddress(<Events />);
  await screen.findByText("orders, partition 3");
  expect(asked).toEqual(["-time_ms"]);

  for (const [name, ordering] of Object.entries({
    Subject: "topic",
    Change: "to_state",
    Cause: "cause",
    Driver: "driver",
  })) {
    await user.click(screen.getByRole("button", { name }));
    await waitFor(() => expect(asked.at(-1)).toBe(ordering));
  }
  expect(address()).toEqual({ events_sort: "driver" });
});

test("gaps are sorted by the service over all of them, by every column; the address keeps the order", async () => {
  const user = userEvent.setup();
  const asked = answerWithOne(GAP);
  const address = await renderWithAddress(<Gaps />);
  await screen.findByText("Stop");
  expect(asked).toEqual(["-detected_ms"]);

  for (const [name, ordering] of Object.entries({
    Records: "-records",
    Cause: "cause",
    "Offsets of the source": "from_offset",
    Policy: "policy",
  })) {
    await user.click(screen.getByRole("button", { name }));
    await waitFor(() => expect(asked.at(-1)).toBe(ordering));
  }
  expect(address()).toEqual({ gaps_sort: "policy" });
});

test("the menu chooses the columns of events, which the address and this browser keep", async () => {
  const user = userEvent.setup();
  answerWithOne(EVENT);
  const address = await renderWithAddress(<Events />);
  await screen.findByText("orders, partition 3");

  await user.click(screen.getByRole("button", { name: "Columns of the events" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Driver" }));

  await waitFor(() => expect(screen.queryByRole("columnheader", { name: "Driver" })).toBeNull());
  expect(screen.queryByText("berlin")).toBeNull();
  expect(screen.getByRole("rowheader", { name: /^orders,\spartition\s3$/ })).toBeTruthy();
  expect(address()).toEqual({ events_columns: "place,change,cause" });
  cleanup();
  await renderWithAddress(<Events />);
  await screen.findByText("orders, partition 3");
  expect(screen.queryByRole("columnheader", { name: "Driver" })).toBeNull();
});
