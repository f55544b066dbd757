/** The page of a topic, the states of topics, drivers and gone drivers, at both widths and in both themes. */
import { expect, test } from "vitest";
import { inOrder, SCHEMES, visiting } from "../visits.ts";

const shared = visiting();
const FLOW = "/replications/eu-central/analytics";

test.each(SCHEMES)("a topic is in order (%s)", async (scheme) => {
  const topic = await shared.open(`${FLOW}/topics/orders`, scheme);
  const { page } = topic;
  await page.getByRole("row", { name: /retention\.ms/ }).waitFor();
  await page
    .getByRole("row", { name: /orders, partition 3 Out of range/ })
    .first()
    .waitFor();
  expect(await page.getByRole("navigation", { name: "Breadcrumbs" }).innerText()).toContain("orders");
  await inOrder(topic, "topic", scheme);
});

test.each(SCHEMES)("the states of topics are in order (%s)", async (scheme) => {
  const states = await shared.open(`${FLOW}?tab=topics&state=denied`, scheme);
  await states.page.getByText("the deny pattern audit.* matches it").waitFor();
  await inOrder(states, "topic-states", scheme);
});

test.each(SCHEMES)("the drivers, and those that left, are in order (%s)", async (scheme) => {
  const drivers = await shared.open("/drivers", scheme);
  await drivers.page.getByText("Fell silent").waitFor();
  await inOrder(drivers, "drivers", scheme);
});
