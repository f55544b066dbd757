/** Orders in a browser: forms, menus of topics and partitions, the list; rules of accessibility, pictures. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inOrder, visiting } from "../visits.ts";
import { eventfulPast } from "./past.ts";

const FLOW = "/replications/us-east/eu-central";
const visits = visiting();

const shown = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

describe("orders", () => {
  test("each form breaks no rule, and its dry run changes nothing", async () => {
    const visit = await visits.open(FLOW);
    const { page } = visit;
    for (const [button, form] of [
      ["Stop", "Stop the flow"],
      ["Throttle", "Throttle the flow"],
      ["Reset a topic", "Reset a topic"],
      ["Pause", "Pause the flow"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("form", { name: form }).waitFor();
    }
    const form = page.getByRole("form", { name: "Pause the flow" });
    await form.getByLabel("Reason").fill("broker upgrade");
    await form.getByText("The same as a command").click();
    await form.getByRole("button", { name: "Dry run" }).click();
    await shown(page, /Nothing has changed yet/);
    expect(visits.service.faults.orders.given).toEqual([]);
    await inOrder(visit, "orders-form");
  });

  test("the menu of a partition and the list of orders break no rule", async () => {
    const visit = await visits.open(`${FLOW}?tab=topics&open=orders`);
    const { page } = visit;
    await page.getByRole("button", { name: "Orders for partition 0 of orders" }).click();
    await page.getByRole("menuitem", { name: "Restart" }).waitFor();
    await inOrder(visit, "orders-menu");
    const list = await visits.open(`${FLOW}?tab=orders`);
    await shown(list.page, "consumer repair");
    await inOrder(list, "orders-list");
  });
});

test("an order for a partition is given in its row, followed to the driver, and listed", async () => {
  const { page } = await visits.open(`${FLOW}?tab=topics&open=orders`);
  await page.getByRole("button", { name: "Orders for partition 0 of orders" }).click();
  await page.getByRole("menuitem", { name: "Restart" }).click();
  const form = page.getByRole("form", { name: "Restart a partition" });
  expect(await form.getByLabel("Topic").inputValue()).toBe("orders");
  expect(await form.getByLabel("Partition").inputValue()).toBe("0");
  await form.getByLabel("Reason").fill("stuck");
  await form.getByRole("button", { name: "Restart the partition" }).click();
  await shown(page, "Asked");
  await shown(page, "At the drivers");
  await shown(page, "by driver-1");

  await page.getByRole("link", { name: "Orders", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: "orders, partition 0" });
  await row.getByText("stuck").waitFor();
  await row.getByText("by driver-1").waitFor();
});

test("a stopped topic is listed, and a refusal keeps the form", async () => {
  const { page } = await visits.open(FLOW);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const form = page.getByRole("form", { name: "Stop the flow" });
  await form.getByLabel("Topic").fill("missing");
  const part = page.getByRole("form", { name: "Stop a topic" });
  await part.getByLabel("Reason").fill("moves");
  await part.getByLabel("Confirm").fill("missing");
  await part.getByRole("button", { name: "Stop the topic" }).click();
  await shown(page, "The flow copies no topic missing.");
  await part.getByLabel("Topic").fill("orders");
  await part.getByLabel("Confirm").fill("orders");
  await part.getByRole("button", { name: "Stop the topic" }).click();
  await page.getByRole("button", { name: "Start orders" }).click();
  const start = page.getByRole("form", { name: "Start a topic" });
  await start.getByLabel("Reason").fill("moved");
  await start.getByRole("button", { name: "Start the topic" }).click();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await shown(page, "No topic is stopped.");
});

/** The status at the service of the flow from us-east into this target. */
const statusOf = (target: string) =>
  visits.service.faults.flows.find((flow) => flow.source === "us-east" && flow.target === target)?.status;

test("a flow is disabled, enabled and deleted, with its name typed where it ends", async () => {
  const { page } = await visits.open(FLOW);
  const order = async (button: string, isNamed: boolean) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    const form = page.getByRole("form", { name: `${button} the flow` });
    const submit = form.getByRole("button", { name: `${button} the flow` });
    await form.getByLabel("Reason").fill("retired");
    if (isNamed) {
      expect(await submit.isDisabled()).toBe(true);
      await form.getByLabel("Confirm").fill("us-east->eu-central");
    }
    await submit.click();
  };
  await order("Disable", true);
  await shown(page, "us-east->eu-central is disabled");
  expect(statusOf("eu-central")).toBe("disabled");
  await order("Enable", false);
  await shown(page, "us-east->eu-central is enabled");
  expect(statusOf("eu-central")).toBe("healthy");
  await order("Delete", true);
  await page.waitForURL((url) => url.pathname === "/replications");
  await page.getByTitle("Show us-west to us-east only").waitFor();
  await page.getByTitle("Show us-east to eu-central only").waitFor({ state: "detached" });
  expect(statusOf("eu-central")).toBeUndefined();
});

test("the buttons of a heading are at its end, and the one that ends an order is apart from its text", async () => {
  visits.service.faults.past = eventfulPast(Date.now());
  const { page } = await visits.open(FLOW);
  await page
    .getByRole("button", { name: /^Resume / })
    .first()
    .waitFor();
  const parts = page.locator(".control-part").filter({ hasText: "Paused topics" });
  const gaps = await parts.locator("button").evaluateAll((buttons) => {
    const edges = buttons.map((button) => button.getBoundingClientRect());
    return edges.slice(1).map(({ left }, place) => left - (edges[place]?.right ?? 0));
  });
  expect(gaps.length).toBeGreaterThan(0);
  expect(Math.max(...gaps)).toBeLessThan(20);
  const row = page.getByRole("row").filter({ has: page.getByRole("button", { name: /^Resume / }) });
  const gap = await row.first().evaluate((element) => {
    const button = element.querySelector("button[aria-label^=Resume]");
    const text = document.createRange();
    if (button?.previousSibling) text.selectNode(button.previousSibling);
    return (button?.getBoundingClientRect().left ?? 0) - text.getBoundingClientRect().right;
  });
  expect(gap).toBeGreaterThanOrEqual(6);
});
