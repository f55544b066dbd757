/** The overview with its menus and dialogs. */
import { pictures } from "./pictures.ts";
import { chartAsTable, everyStatus, fleet, press, savedView, viewing, WIDE } from "./steps.ts";

pictures({
  overview: { path: "/replications" },
  "overview-every-status": { path: "/replications", service: everyStatus },
  "overview-50-flows": { path: "/replications", service: fleet(50) },
  "overview-200-flows": { path: "/replications", service: fleet(200) },
  "overview-past": { path: "/replications?from=1795593600000&to=1795600000000" },
  "overview-no-match": { path: "/replications?q=nothing" },
  "overview-columns": {
    path: "/replications?columns=status,lag,lag_time,catch_up,loss,proven,applied,owner,labels",
    service: everyStatus,
  },
  "overview-selected": { path: "/replications?flow=us-east-%3Eanalytics" },
  "overview-chosen": {
    path: "/replications",
    act: (page) => page.getByRole("checkbox", { name: "Choose all flows of the filter" }).click(),
  },
  "overview-row-menu": { path: "/replications", act: press("Actions on us-east to us-west"), widths: [1440] },
  "overview-columns-menu": { path: "/replications", act: press("Columns") },
  "overview-help": { path: "/replications", act: press("Definition of the columns and statuses") },
  "overview-commands": { path: "/replications", act: press("Command and request of the flows") },
  "overview-views": { path: "/replications", act: press("Saved views") },
  "overview-views-saved": {
    path: "/replications?status=degraded",
    service: (service) => {
      service.faults.personal.views = [
        savedView(1, "Degraded flows", true),
        savedView(2, "Flows to analytics"),
      ];
    },
    act: async (page) => {
      await press("Saved views")(page);
      await press("Rename Flows to analytics")(page);
    },
  },
  "overview-paused": { path: "/replications", act: press("Pause live updates") },
  "overview-latency": { path: "/replications?metric=latency" },
  "overview-chart-options": { path: "/replications", act: press(/^Options of the chart/) },
  "overview-chart-table": { path: "/replications", act: chartAsTable },
  "overview-many-stop": {
    path: "/replications",
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Choose all flows of the filter" }).click();
      await page.getByLabel("Action", { exact: true }).selectOption("stop");
    },
  },
  "overview-sorted": { path: "/replications?sort=-lag&stat=p95" },
  "overview-order": {
    path: "/replications",
    act: async (page) => {
      await press("Actions on us-east to us-west")(page);
      await page.getByRole("menuitem", { name: "Pause" }).click();
      await page.getByRole("dialog").waitFor();
    },
    widths: WIDE,
  },
  "overview-order-on-phone": {
    path: "/replications",
    act: async (page) => {
      await press("Actions on us-east to us-west")(page);
      await page.getByRole("menuitem", { name: "Pause" }).click();
      await page.getByRole("dialog").waitFor();
    },
    widths: [390, 320],
  },
  "overview-download-menu": { path: "/replications", act: press("Download") },
  "overview-theme-menu": { path: "/replications", act: press("Colour theme") },
  "overview-time-range": {
    path: "/replications",
    act: (page) => page.getByRole("combobox", { name: "Time range" }).click(),
  },
  "overview-both-ends": {
    path: "/replications",
    act: async (page) => {
      await page.getByRole("combobox", { name: "Time range" }).click();
      await page.getByRole("option", { name: /^From/ }).click();
    },
  },
  "overview-viewer": { path: "/replications", service: viewing },
  "first-run": {
    path: "/replications",
    service: (service) => {
      service.faults.flows = [];
      service.faults.aliases = ["us-east"];
    },
  },
  palette: {
    path: "/replications",
    act: async (page) => {
      await page.keyboard.press("Control+K");
      await page.keyboard.type("ord");
      await page
        .getByRole("option", { name: /orders/ })
        .first()
        .waitFor();
    },
  },
  "palette-empty": { path: "/replications", act: (page) => page.keyboard.press("Control+K") },
  shortcuts: { path: "/replications", act: (page) => page.keyboard.press("?") },
  "session-ended": {
    path: "/replications",
    act: async (_, service) => service.dropSockets(4401),
  },
});
