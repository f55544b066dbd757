import { createMemoryHistory, createRouter } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { routeTree } from "@/app/router";

const OVERVIEW = {
  q: "payments",
  status: "degraded",
  sort: "-lag",
  stat: "min",
  columns: "lag,owner",
  metric: "lag",
  flow: "us-east->quiet",
  only: "us-east->quiet",
  from: "now-6h",
};
const FLOW = { tab: "topics", open: "orders", stat: "p95", state: "failed", from: "now-6h" };

test.each([
  ["/replications", OVERVIEW],
  ["/replications/us-east/eu-central", FLOW],
])("the view of %s is read from its address, every part of it", (path, search) => {
  const address = `${path}?${new URLSearchParams(search)}`;
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: [address] }) });

  expect(router.matchRoutes(router.latestLocation).at(-1)?.search).toEqual(search);
});
