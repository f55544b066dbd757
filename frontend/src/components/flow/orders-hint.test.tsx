import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { FlowList } from "@/features/replications/table/FlowList";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAlone, renderAt } from "@/test/render";

const NONE = {
  ...{ throttle_bytes_per_second: null, throttled_topics: 0, throttled_partitions: 0 },
  ...{ paused_topics: 0, paused_partitions: 0, stopped_topics: 0, stopped_partitions: 0 },
};
const TEXT = "Throttled to 1 kB/s, 2 topics paused";
const orders_in_force = { ...NONE, text: TEXT, throttle_bytes_per_second: 1_000, paused_topics: 2 };
const SLOWED = aFlow({ target: "slowed", orders_in_force });
const FREE = aFlow({ target: "free" });
const CARD = "/replications/us-east/slowed#control";

function storeOfBoth(): LiveStore {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([SLOWED, FREE], { time_ms: Date.now() }));
  return store;
}

const open = (address: string) => renderAt(address, storeOfBoth());

beforeEach(() => answerWith());

test("a healthy flow says beside its status what slows it, with the way to the card that ends it", async () => {
  await open("/replications/us-east/slowed?tab=events");

  const hint = await screen.findByRole("link", { name: TEXT });
  expect(hint.getAttribute("href")).toBe(CARD);
  expect(hint.parentElement?.textContent).toContain("Healthy");
});

test("the card of the orders in force is where the hint leads", async () => {
  await open(CARD);

  const heading = await screen.findByRole("heading", { name: "Control" });
  expect(heading.closest("section")?.id).toBe("control");
});

test("the hint leaves when the orders have ended", async () => {
  const store = await open("/replications/us-east/slowed?tab=events");
  await screen.findByRole("link", { name: TEXT });

  act(() =>
    store.applyFrame(aFrame([{ ...SLOWED, orders_in_force: null }], { time_ms: Date.now() + 1_000 })),
  );

  await waitFor(() => expect(screen.queryByRole("link", { name: TEXT })).toBeNull());
});

test("a flow without orders in force has no hint", async () => {
  await open("/replications/us-east/free");

  await screen.findByRole("heading", { name: "Control" });
  expect(screen.queryByTitle("Show the orders in force")).toBeNull();
});

test("the table of flows has the hint in the row of the flow, and the range of the page in its link", async () => {
  await open("/replications?from=now-3h");

  const table = await screen.findByRole("region", { name: "Table of replication flows" });
  const hint = within(table).getByRole("link", { name: TEXT });
  expect(hint.closest("tr")?.textContent).toContain("slowed");
  expect(hint.getAttribute("href")).toBe(CARD.replace("#", "?from=now-3h#"));
});

test("the cards of flows have the hint in the card of the flow", async () => {
  const shown = [SLOWED, FREE].map((flow) => ({ flow, facts: undefined, statistic: "now" as const }));
  const rest = { sort: "flow", onSort: () => undefined, limit: 9, pins: [], choice: null, menu: () => null };
  await renderAlone("/replications", <FlowList shown={shown} {...rest} />, "/replications", storeOfBoth());

  const hint = await screen.findByRole("link", { name: TEXT });
  expect(hint.closest("li")?.textContent).toContain("slowed");
});
