/** What a screen is, and what its examples share: addresses, presses, and what the service does differently. */
import type { Page } from "playwright-core";
import type { SavedView } from "../../src/api/types.ts";
import { aliasesOf, EVERY_STATUS, fleetOf } from "../bench/fleets.ts";
import { newConfiguration } from "../configuration/fake.ts";
import type { FakeService } from "../fake-service.ts";
import { eventfulPast } from "../orders/past.ts";

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

export const FLOW = "/replications/eu-central/analytics";
export const HEALTHY = "/replications/us-east/eu-central";
export const WIDE = [1440, 2560];

export const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
/** The first chart of the page as a table. */
export const chartAsTable = async (page: Page): Promise<void> => {
  await press(/^Options of the chart/)(page);
  await page.getByRole("menuitem", { name: "View as table" }).click();
};
export const savedView = (id: number, name: string, is_default = false): SavedView => ({
  ...{ id, name, is_default, page: "overview", query: "q=analytics", changed_ms: Date.now() },
});
export const everyStatus = (service: FakeService): void => {
  service.faults.flows = EVERY_STATUS;
};
export const failing = (status: number) => (service: FakeService) => {
  service.faults.api_status = status;
  service.refuseSockets(true);
};
export const partial = (service: FakeService): void => {
  service.faults.partial = ["ap-south", "https://srm.us.example:6670"];
};
export const hanging = (service: FakeService): void => {
  service.faults.is_hanging = true;
  service.refuseSockets(true);
};
export const eventful = (service: FakeService): void => {
  service.faults.past = eventfulPast(Date.now());
};
export const viewing = (service: FakeService): void => {
  service.faults.permissions = ["flows.read", "clusters.read"];
};
export const draftOn = (base_version: number) => (service: FakeService) => {
  const changes = [{ key: "connectors.tasks.max", value: "6" }];
  service.faults.configuration = newConfiguration();
  service.faults.configuration.draft = { id: 1, name: "More slots", author: "admin", base_version, changes };
};

/** Many flows between many clusters. */
export const fleet = (count: number) => (service: FakeService) => {
  service.faults.flows = fleetOf(count);
  service.faults.aliases = aliasesOf(service.faults.flows);
};
