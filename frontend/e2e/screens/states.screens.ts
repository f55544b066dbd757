/** What a page shows while it loads, fails, may not be seen or is incomplete. */
import { pictures } from "./pictures.ts";
import { FLOW, failing, hanging, partial } from "./steps.ts";

pictures({
  "state-loading": { path: "/replications", service: hanging, isLoading: true },
  "state-partial": { path: "/replications", service: partial },
  "state-error": { path: "/replications", service: failing(503) },
  "state-forbidden": { path: "/replications", service: failing(403) },
  "state-stale": {
    path: "/replications",
    act: async (page, service) => {
      service.faults.is_silent = true;
      await page.locator(".live-word", { hasText: "Stale" }).waitFor();
    },
  },
  "state-disconnected": {
    path: "/replications",
    act: async (page, service) => {
      service.refuseSockets(true);
      service.dropSockets(1001);
      service.faults.api_status = 503;
      await page.getByText("Disconnected, refreshing every 10 s").waitFor({ timeout: 45_000 });
    },
  },
  "flow-error": { path: FLOW, service: failing(503) },
  "flow-forbidden": { path: FLOW, service: failing(403) },
  "flow-missing": { path: "/replications/us-east/nowhere" },
  "flow-partial": { path: `${FLOW}?tab=topics`, service: partial },
  "flow-groups-error": { path: `${FLOW}?tab=groups`, service: failing(503) },
  "topic-error": { path: `${FLOW}/topics/orders`, service: failing(503) },
  "clusters-error": { path: "/clusters", service: failing(503) },
  "clusters-partial": { path: "/clusters", service: partial },
  "cluster-error": { path: "/clusters/us-west", service: failing(503) },
  "drivers-error": { path: "/drivers", service: failing(503) },
  "drivers-forbidden": { path: "/drivers", service: failing(403) },
  "driver-error": { path: "/drivers/driver-1", service: failing(503) },
  "driver-forbidden": { path: "/drivers/driver-1", service: failing(403) },
  "drivers-partial": { path: "/drivers", service: partial },
  "services-error": { path: "/services", service: failing(503) },
  "configuration-error": { path: "/configuration", service: failing(503) },
  "configuration-history-error": { path: "/configuration/history", service: failing(503) },
  "not-found": { path: "/nowhere" },
});
