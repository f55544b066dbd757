import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ListedFlow } from "@/api/types";
import type { Statistic } from "@/components/table/columns/statistic";
import { FlowList } from "@/features/replications/table/FlowList";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { renderWithAddress } from "@/test/render";
import { someStatistics } from "@/test/statistics";

async function showCard(facts: ListedFlow | undefined, statistic: Statistic = "now") {
  const flow = aFlow();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([flow]));
  await renderWithAddress(
    <FlowList
      shown={[{ flow, facts, statistic }]}
      sort="flow"
      onSort={() => undefined}
      limit={10}
      pins={[]}
      choice={null}
      menu={() => null}
    />,
    store,
  );
}

const factOf = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;

test("the card of a flow has the lag in time and the time to loss of the table", async () => {
  const numbers = ["replication_latency_ms", "records_per_second", "bytes_per_second", "lag_offsets"];
  const metrics = Object.fromEntries([
    ...numbers.map((metric) => [metric, someStatistics()]),
    ["lag_ms", someStatistics({ avg: 250 })],
  ]);
  const facts = { time_to_loss_ms: 90_000, metrics } as unknown as ListedFlow;
  await showCard(facts);

  expect(factOf("Lag in time, average")).toBe("250ms");
  expect(factOf("Time to loss")).toBe("90.0s");
});

test("a card says why a number is missing, and names the statistic of the lag in time", async () => {
  await showCard(undefined);
  expect(factOf("Time to loss")).toContain("not loaded");
  expect(factOf("Lag in time, average")).toContain("not loaded");
});

test("the lag in time of another statistic is not called an average, and no loss is told", async () => {
  const metrics = new Proxy({}, { get: () => someStatistics({ max: 250 }) });
  await showCard({ time_to_loss_ms: null, metrics } as unknown as ListedFlow, "max");
  expect(factOf("Lag in time")).toBe("250ms");
  expect(factOf("Time to loss")).toContain("no loss is foreseen, or no task reports it");
});
