import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { EventsTable, EventsTools, useEventsView } from "@/features/replication/events/EventsTable";
import { GapsTable, useGapsView } from "@/features/replication/events/GapsTable";
import { aGap, anEvent } from "@/test/events";
import { renderWithAddress } from "@/test/render";
import { keepRequests } from "@/test/requests";

const FLOW = { source: "us-east", target: "eu" };

/** Answers with the first of many rows; returns the orders that are asked for. */
function answerWithOne(row: object): () => (string | null)[] {
  const list = { items: [row], next_cursor: "next", as_of_ms: 1, partial: [] };
  const { reads } = keepRequests(() => Response.json(list));
  return () => reads.map(({ query }) => new URLSearchParams(query).get("ordering"));
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
  const asked = answerWithOne(anEvent());
  const address = await renderWithAddress(<Events />);
  await screen.findByText("orders, partition 3");
  expect(asked()).toEqual(["-time_ms"]);

  for (const [name, ordering] of Object.entries({
    Subject: "topic",
    Change: "to_state",
    Cause: "cause",
    Driver: "driver",
  })) {
    await user.click(screen.getByRole("button", { name }));
    await waitFor(() => expect(asked().at(-1)).toBe(ordering));
  }
  expect(address()).toEqual({ events_sort: "driver" });
});

test("gaps are sorted by the service over all of them, by every column; the address keeps the order", async () => {
  const user = userEvent.setup();
  const asked = answerWithOne(aGap());
  const address = await renderWithAddress(<Gaps />);
  await screen.findByText("Stop");
  expect(asked()).toEqual(["-detected_ms"]);

  for (const [name, ordering] of Object.entries({
    Records: "-records",
    Cause: "cause",
    "Offsets of the source": "from_offset",
    Policy: "policy",
  })) {
    await user.click(screen.getByRole("button", { name }));
    await waitFor(() => expect(asked().at(-1)).toBe(ordering));
  }
  expect(address()).toEqual({ gaps_sort: "policy" });
});

test("the menu chooses the columns of events, which the address and this browser keep", async () => {
  const user = userEvent.setup();
  answerWithOne(anEvent());
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
