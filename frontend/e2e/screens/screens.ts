/** Every screen of the page: its address, and what has to happen there or to the service before the picture. */
import type { Page } from "playwright-core";
import { EVERY_STATUS } from "../bench/fleets.ts";
import { newConfiguration } from "../configuration.ts";
import type { FakeService } from "../fake-service.ts";

export interface Screen {
  path: string;
  /** what the service does differently */
  service?: (service: FakeService) => void;
  /** what a person does first */
  act?: (page: Page, service: FakeService) => Promise<void>;
  /** the widths at which the screen exists; absent: all */
  widths?: readonly number[];
  /** the page never finishes loading */
  isLoading?: boolean;
}

const FLOW = "/replications/eu-central/analytics";
const HEALTHY = "/replications/us-east/eu-central";
const WIDE = [1440, 2560];

const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
const everyStatus = (service: FakeService): void => {
  service.faults.flows = EVERY_STATUS;
};
const failing = (status: number) => (service: FakeService) => {
  service.faults.api_status = status;
  service.refuseSockets(true);
};
const partial = (service: FakeService): void => {
  service.faults.partial = ["ap-south", "https://srm.us.example:6670"];
};
const hanging = (service: FakeService): void => {
  service.faults.is_hanging = true;
  service.refuseSockets(true);
};
const viewing = (service: FakeService): void => {
  service.faults.permissions = ["flows.read", "clusters.read"];
};
const draftOn = (base_version: number) => (service: FakeService) => {
  const changes = [{ key: "connectors.tasks.max", value: "6" }];
  service.faults.configuration = newConfiguration();
  service.faults.configuration.draft = { id: 1, name: "More slots", author: "admin", base_version, changes };
};

const OVERVIEW: Record<string, Screen> = {
  overview: { path: "/replications" },
  "overview-every-status": { path: "/replications", service: everyStatus },
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
    widths: WIDE,
  },
  "overview-row-menu": { path: "/replications", act: press("Actions on us-east to us-west"), widths: WIDE },
  "overview-columns-menu": { path: "/replications", act: press("Columns") },
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
};

const STATES: Record<string, Screen> = {
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
  "drivers-partial": { path: "/drivers", service: partial },
  "services-error": { path: "/services", service: failing(503) },
  "configuration-error": { path: "/configuration", service: failing(503) },
  "configuration-history-error": { path: "/configuration/history", service: failing(503) },
  "not-found": { path: "/nowhere" },
};

const FLOWS: Record<string, Screen> = {
  flow: { path: HEALTHY },
  "flow-degraded": { path: FLOW },
  "flow-interrupted": { path: "/replications/ap-south/analytics", service: everyStatus },
  "flow-disabled": { path: "/replications/us-west/analytics" },
  "flow-topics": { path: `${FLOW}?tab=topics&open=orders` },
  "flow-denied-topics": { path: `${FLOW}?tab=topics&state=denied` },
  "flow-partition-menu": {
    path: `${HEALTHY}?tab=topics&open=orders`,
    act: press("Orders for partition 0 of orders"),
    widths: WIDE,
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
  "flow-stop": { path: HEALTHY, act: press("Stop") },
  "flow-throttle": { path: HEALTHY, act: press("Throttle") },
  "flow-reset": { path: HEALTHY, act: press("Reset a topic") },
  "flow-audit-question": { path: FLOW, act: press(/^Audit everything/) },
  "flow-compared": { path: `${HEALTHY}?compare=day&log=latency` },
  topic: { path: `${FLOW}/topics/orders` },
  record: { path: `${FLOW}/topics/orders/record?partition=3&offset=48000001` },
  "record-none": { path: `${FLOW}/topics/orders/record` },
};

const CHANGES: Record<string, Screen> = {
  "new-flow": { path: "/replications/new" },
  "new-flow-refused": { path: "/replications/new", act: press("Next") },
  ...wizardSteps(),
  clusters: { path: "/clusters" },
  cluster: { path: "/clusters/analytics" },
  "cluster-tested": {
    path: "/clusters/us-west",
    act: async (page) => {
      await press("Test the connection")(page);
      await page.getByText("The test failed").waitFor();
    },
  },
  "cluster-delete": { path: "/clusters/us-west", act: press("Delete") },
  "cluster-edit": { path: "/clusters/us-west/edit" },
  "cluster-edit-conflict": {
    path: "/clusters/us-west/edit",
    act: async (page) => {
      await page.getByLabel("Owner").fill("payments");
      await press("Save the cluster")(page);
      await page.getByRole("region", { name: "Changes since you opened this page" }).waitFor();
    },
  },
  "new-cluster": { path: "/clusters/new" },
  drivers: { path: "/drivers" },
  "drivers-viewer": { path: "/drivers", service: viewing },
  "drivers-drain": { path: "/drivers", act: press("Drain driver-1") },
  services: { path: "/services" },
};

const CONFIGURATION: Record<string, Screen> = {
  configuration: { path: "/configuration" },
  "configuration-flow": {
    path: "/configuration?at=flow%3Aus-east-%3Eus-west",
    act: press("us-east->us-west.tasks.max"),
  },
  "configuration-edit": {
    path: "/configuration?at=flow%3Aus-east-%3Eus-west&key=us-east-%3Eus-west.tasks.max",
    act: press("Edit the value"),
  },
  "configuration-add": { path: "/configuration", act: press("Add a property") },
  "configuration-viewer": { path: "/configuration?key=connectors.tasks.max", service: viewing },
  "configuration-keys": { path: "/configuration/keys?key=tasks.max" },
  "configuration-transfer": { path: "/configuration/transfer" },
  "configuration-import-errors": {
    path: "/configuration/transfer",
    act: async (page) => {
      await page.getByLabel("Content").fill("tasks.mx = 4\nconnectors.tasks.max = many");
      await press("Check the file")(page);
      await page.getByText(/The file has/).waitFor();
    },
  },
  "configuration-review": { path: "/configuration/review?draft=1", service: draftOn(7) },
  "configuration-others": { path: "/configuration/review?draft=1", service: draftOn(5) },
  "configuration-no-draft": { path: "/configuration/review" },
  "configuration-history": { path: "/configuration/history" },
  "configuration-revert": { path: "/configuration/history", act: press("Revert to 5") },
};

export const SCREENS: Record<string, Screen> = {
  ...OVERVIEW,
  ...STATES,
  ...FLOWS,
  ...CHANGES,
  ...CONFIGURATION,
};

/** The steps of the wizard after the first one. */
function wizardSteps(): Record<string, Screen> {
  const next = press("Next");
  const toStep = (step: number) => async (page: Page) => {
    await page.getByLabel("Source").selectOption("us-west");
    await page.getByLabel("Target").selectOption("eu-central");
    await next(page);
    await page.getByRole("textbox", { name: /^Topics/ }).fill("orders.*\nnothing");
    await page.getByText("3 topics selected").waitFor();
    for (let at = 2; at < step; at++) await next(page);
    await page.getByRole("heading", { name: `Step ${step} of 5` }).waitFor();
    if (step === 5) await page.getByText("User:srm may not create topics on eu-central").waitFor();
  };
  return Object.fromEntries(
    [2, 3, 4, 5].map((step) => [`new-flow-${step}`, { path: "/replications/new", act: toStep(step) }]),
  );
}
