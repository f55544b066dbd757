import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { TopicPartition } from "@/api/types";
import { PartitionsTable, usePartitionsView } from "@/features/replication/PartitionsTable";
import { answerWith, renderWithAddress } from "@/test/render";
import { keepRequests } from "@/test/requests";

const aPartition = (partition: number, change: Partial<TopicPartition> = {}) => ({
  ...{
    partition,
    remote_topic: "us-east.orders",
    state: "replicating",
    cause: null,
    slot: 0,
    driver: "berlin",
  },
  ...{ source_start: 0, source_end: 9, copied_to: 9, target_end: 9, lag_offsets: 0, lag_ms: 0 },
  ...{ last_record_ms: 1, records_per_second: 1, bytes_per_second: 1, updated_ms: 1 },
  ...change,
});

/** Answers with two partitions of many; returns how they are asked for. */
function answerWithPartitions(): () => URLSearchParams[] {
  const items = [aPartition(0, { lag_offsets: 5 }), aPartition(1, { lag_offsets: 70 })];
  answerWith({
    "/topics/orders": { status: 200, body: { topic: "orders", remote_topic: null, partitions: 300 } },
    "/partitions": { status: 200, body: { items, next_cursor: "next", as_of_ms: 1, partial: [] } },
  });
  const last = { items: [], next_cursor: null, as_of_ms: 1, partial: [] };
  const { reads } = keepRequests(({ query = "" }) =>
    query.includes("cursor=") ? Response.json(last) : undefined,
  );
  return () =>
    reads.filter(({ path }) => path.endsWith("/partitions")).map(({ query }) => new URLSearchParams(query));
}

function Partitions() {
  const view = usePartitionsView("orders");
  return <PartitionsTable flow={{ source: "us-east", target: "eu" }} topic="orders" view={view} />;
}

test("a lag below a second is told in milliseconds, not as none", async () => {
  const items = [aPartition(0, { lag_offsets: 4_000, lag_ms: 312 }), aPartition(1, { lag_ms: 7_000 })];
  answerWith({
    "/topics/orders": { status: 200, body: { topic: "orders", remote_topic: null, partitions: 2 } },
    "/partitions": { status: 200, body: { items, next_cursor: null, as_of_ms: 1, partial: [] } },
  });
  await renderWithAddress(<Partitions />);
  expect((await screen.findByText(/^312\sms$/)).tagName).toBe("TD");
  expect(screen.getByText(/^7\ss$/)).toBeTruthy();
});

test("partitions are sorted by the service over all of them, and more are read when asked for", async () => {
  const user = userEvent.setup();
  const asked = answerWithPartitions();
  const address = await renderWithAddress(<Partitions />);
  const table = within(await screen.findByRole("region", { name: "Partitions of orders" }));
  await user.click(table.getByRole("button", { name: "Lag" }));

  await waitFor(() => expect(asked().at(-1)?.get("ordering")).toBe("-lag_offsets"));
  expect(address()).toEqual({ partitions_sort: "-lag_offsets" });
  const sorted = within(await screen.findByRole("region", { name: "Partitions of orders" }));
  expect(sorted.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual(["1", "0"]);
  expect(sorted.queryByRole("button", { name: "Source end" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Show more partitions" }));
  await waitFor(() => expect(asked().at(-1)?.get("cursor")).toBe("next"));
});
