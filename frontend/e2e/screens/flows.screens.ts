/** The tabs of a flow, its orders, topics and records. */
import { pictures } from "./pictures.ts";
import { chartAsTable, eventful, everyStatus, FLOW, HEALTHY, press, viewing } from "./steps.ts";

pictures({
  flow: { path: HEALTHY },
  "flow-degraded": { path: FLOW },
  "flow-interrupted": { path: "/replications/ap-south/analytics", service: everyStatus },
  "flow-disabled": { path: "/replications/us-west/analytics" },
  "flow-topics": { path: `${FLOW}?tab=topics&open=orders` },
  "flow-denied-topics": { path: `${FLOW}?tab=topics&state=denied` },
  "flow-partition-menu": {
    path: `${HEALTHY}?tab=topics&open=orders`,
    act: press("Orders for partition 0 of orders"),
    widths: [1440],
  },
  "flow-topics-chosen": {
    path: `${HEALTHY}?tab=topics`,
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Choose all topics that are shown" }).click();
      await page.getByLabel("Action", { exact: true }).selectOption("throttle");
    },
  },
  "flow-topics-reset": {
    path: `${HEALTHY}?tab=topics`,
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Choose all topics that are shown" }).click();
      await page.getByLabel("Action", { exact: true }).selectOption("reset");
    },
  },
  "flow-groups": { path: `${FLOW}?tab=groups` },
  "flow-group": {
    path: `${FLOW}?tab=groups`,
    act: async (page) => {
      await press("zahlung/größe 1")(page);
      await press("Sync now")(page);
      await press("Write 1 offset to the target")(page);
      await page.getByText("Receipt of the sync of zahlung/größe 1").waitFor();
    },
  },
  "flow-group-translate": {
    path: `${FLOW}?tab=groups`,
    act: async (page) => {
      await press("billing")(page);
      await press("Translate an offset")(page);
      await press("Translate")(page);
      await page.getByText(/offset 16,990 on analytics/).waitFor();
      await page.getByText("The same as a command").click();
    },
  },
  "flow-tasks": { path: `${FLOW}?tab=tasks` },
  "flow-events": { path: `${FLOW}?tab=events` },
  "flow-orders": { path: `${HEALTHY}?tab=orders` },
  "flow-orders-no-match": {
    path: `${HEALTHY}?tab=orders`,
    act: async (page) => {
      await page.getByLabel("Name of a topic").fill("nothing");
      await page.getByText("No order matches the filter").waitFor();
    },
  },
  "flow-orders-commands": { path: `${HEALTHY}?tab=orders`, act: press("Command and request of the orders") },
  "flow-orders-viewer": { path: `${HEALTHY}?tab=orders`, service: viewing },
  "flow-actions-menu": { path: HEALTHY, act: press("Actions") },
  "flow-definition": { path: HEALTHY, act: press(/^Definition of/) },
  "flow-configuration": { path: `${HEALTHY}?tab=configuration`, act: press("linger.ms") },
  "flow-pause": {
    path: HEALTHY,
    act: async (page) => {
      await press("Pause")(page);
      const form = page.getByRole("form", { name: "Pause the flow" });
      await form.getByLabel("Reason").fill("broker upgrade");
      await form.getByText("The same as a command").click();
      await form.getByRole("button", { name: "Dry run" }).click();
      await page.getByText(/Nothing has changed yet/).waitFor();
    },
  },
  "flow-disable": {
    path: HEALTHY,
    act: async (page) => {
      await press("Disable")(page);
      const form = page.getByRole("form", { name: "Disable the flow" });
      await form.getByLabel("Reason").fill("the region is retired");
      await form.getByRole("button", { name: "Dry run" }).click();
      await page.getByText(/Nothing has changed yet/).waitFor();
    },
  },
  "flow-resume": {
    path: "/replications/eu-central/us-east",
    service: everyStatus,
    act: async (page) => {
      await press("Resume")(page);
      await page.getByRole("form", { name: "Resume the flow" }).waitFor();
    },
  },
  "flow-enable": { path: "/replications/us-west/analytics", act: press("Enable") },
  "flow-end-of-hold": {
    path: "/replications/us-west/us-east",
    service: eventful,
    act: async (page) => {
      await press(/^Resume .*partition/)(page);
      await page.getByRole("dialog").getByRole("form").waitFor();
    },
  },
  "flow-stop": { path: HEALTHY, act: press("Stop") },
  "flow-throttle": { path: HEALTHY, act: press("Throttle") },
  "flow-reset": { path: HEALTHY, act: press("Reset a topic") },
  "flow-restart": { path: HEALTHY, act: press("Restart") },
  "flow-past": { path: "/replications/us-west/us-east", service: eventful },
  "flow-findings": { path: "/replications/us-west/us-east?audit=14", service: eventful },
  "flow-viewer": { path: HEALTHY, service: viewing },
  "flow-audit-question": { path: FLOW, act: press(/^Audit everything/) },
  "flow-delete": {
    path: HEALTHY,
    act: async (page) => {
      await press("Actions")(page);
      await page.getByRole("menuitem", { name: /^Delete/ }).click();
    },
  },
  "flow-chart-options": { path: HEALTHY, act: press(/^Options of the chart/) },
  "flow-chart-table": { path: HEALTHY, act: chartAsTable },
  "flow-range": { path: `${HEALTHY}?tab=topics&stat=p95&from=1795593600000&to=1795600000000` },
  "flow-groups-no-match": { path: `${FLOW}?tab=groups&group=nothing` },
  "flow-configuration-defaults": { path: `${HEALTHY}?tab=configuration&defaults=true` },
  "flow-configuration-no-match": { path: `${HEALTHY}?tab=configuration&key=nothing` },
  "flow-task-restart": { path: `${FLOW}?tab=tasks`, act: press(/^Restart/) },
  "flow-compared": { path: `${HEALTHY}?compare=day&log=latency` },
  topic: { path: `${FLOW}/topics/orders` },
  "topic-menu": { path: `${FLOW}/topics/orders`, act: press(/^Orders for/), widths: [1440] },
  "topic-compared": { path: `${FLOW}/topics/orders?compare=week` },
  "topic-viewer": { path: `${FLOW}/topics/orders`, service: viewing },
  record: { path: `${FLOW}/topics/orders/record?partition=7&offset=48100112` },
  "topic-missing": { path: `${FLOW}/topics/nothing` },
  "record-none": { path: `${FLOW}/topics/orders/record` },
});
