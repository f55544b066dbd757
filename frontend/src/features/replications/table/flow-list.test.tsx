import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ListedFlow } from "@/api/types";
import { FlowList } from "@/features/replications/table/FlowList";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { renderWithAddress } from "@/test/render";
import { someStatistics } from "@/test/statistics";

test("the card of a flow has the lag in time and the time to loss of the table", async () => {
  const flow = aFlow();
  const numbers = ["replication_latency_ms", "records_per_second", "bytes_per_second", "lag_offsets"];
  const metrics = Object.fromEntries([
    ...numbers.map((metric) => [metric, someStatistics()]),
    ["lag_ms", someStatistics({ avg: 250 })],
  ]);
  const facts = { time_to_loss_ms: 90_000, metrics } as unknown as ListedFlow;
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([flow]));
  await renderWithAddress(
    <FlowList
      shown={[{ flow, facts, statistic: "now" }]}
      sort="flow"
      onSort={() => undefined}
      limit={10}
      pins={[]}
      choice={null}
      menu={() => null}
    />,
    store,
  );

  const factOf = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
  expect(factOf("Lag in time")).toBe("250ms");
  expect(factOf("Loss in")).toBe("90.0s");
});
