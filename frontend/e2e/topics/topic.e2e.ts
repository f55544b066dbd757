/** The page of a topic, the states of topics, drivers and gone drivers, at both widths and in both themes. */
import { expect, test } from "vitest";
import { inOrder, visiting } from "../visits.ts";

const shared = visiting();
const FLOW = "/replications/eu-central/analytics";

test("a topic is in order", async () => {
  const topic = await shared.open(`${FLOW}/topics/orders`);
  const { page } = topic;
  await page.getByRole("row", { name: /retention\.ms/ }).waitFor();
  await page
    .getByRole("row", { name: /Partition 3 Out of range/ })
    .first()
    .waitFor();
  expect(await page.getByRole("navigation", { name: "Breadcrumbs" }).innerText()).toContain("orders");
  await inOrder(topic, "topic");
});

test("the states of topics are in order", async () => {
  const states = await shared.open(`${FLOW}?tab=topics&state=denied`);
  await states.page.getByText("the deny pattern audit.* matches it").waitFor();
  const topics = states.page.getByRole("region", { name: "Table of denied topics" });
  expect(await topics.getByRole("row").count()).toBe(2);
  await inOrder(states, "topic-states");
});

test("the drivers, and those that left, are in order", async () => {
  const drivers = await shared.open("/drivers");
  await drivers.page.getByText("Lost", { exact: true }).waitFor();
  await inOrder(drivers, "drivers");
});
