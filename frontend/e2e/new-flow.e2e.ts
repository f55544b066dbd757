/** The way from nothing to a flow in a real browser. */
import { describe, expect, test } from "vitest";
import { tabTo } from "./keyboard.ts";
import { inOrder, visiting } from "./visits.ts";

const visits = visiting();

describe("a new flow", () => {
  test("every step of the wizard, with preview and plan", async () => {
    const visit = await visits.open("/replications/new");
    const { page } = visit;
    const next = page.getByRole("button", { name: "Next" });
    await next.click();
    await page.getByText("Choose the cluster to read from.").waitFor();
    await inOrder(visit, "wizard-1-refused");
    await page.getByLabel("Source").selectOption("us-west");
    await page.getByLabel("Target").selectOption("eu-central");
    await next.click();
    await page.getByRole("textbox", { name: /^Topics/ }).fill("orders.*\nnothing");
    await page.getByText("3 topics selected").waitFor();
    await page.getByText("“nothing” selects nothing").waitFor();
    await inOrder(visit, "wizard-2-topics");
    await next.click();
    await page.getByRole("textbox", { name: /^Groups/ }).fill(".*");
    await page.getByRole("textbox", { name: /^Denied groups/ }).fill("test-.*");
    await page.getByText("2 groups selected").waitFor();
    await page.getByText("the deny pattern test-.* matches it").waitFor();
    await inOrder(visit, "wizard-3-groups");
    await next.click();
    await page.getByLabel("Throttle in MB/s").fill("50");
    await page.getByLabel("Start point").selectOption("time");
    await inOrder(visit, "wizard-4-delivery");
    await page.getByLabel("Start point").selectOption("earliest");
    await next.click();
    await page.getByText("User:srm may not create topics on eu-central").waitFor();
    await page.getByText("2 min 52 s at 50.0 MB/s").waitFor();
    await inOrder(visit, "wizard-5-review");
  });

  test("without a flow the overview leads to the first one", async () => {
    visits.service.faults.flows = [];
    visits.service.faults.aliases = ["us-east"];
    const visit = await visits.open("/replications");
    await visit.page.getByRole("heading", { name: "Copy the first record" }).waitFor();
    await inOrder(visit, "first-run");
  });
});

test("a flow is created paused by keyboard alone", async () => {
  const { page } = await visits.open("/replications");
  const press = (key: string) => page.keyboard.press(key);
  await tabTo(page, page.getByRole("link", { name: "New replication" }));
  await press("Enter");
  await page.waitForURL("**/replications/new");
  await tabTo(page, page.getByLabel("Source"));
  await page.keyboard.type("us-west");
  await press("Tab");
  await page.keyboard.type("eu-central");
  for (const step of [2, 3, 4, 5]) {
    const isTyped = step === 3;
    if (isTyped) {
      await press("Tab");
      await page.keyboard.type("orders.*");
    }
    await tabTo(page, page.getByRole("button", { name: "Next" }));
    await press("Enter");
    await page.getByRole("heading", { name: `Step ${step} of 5` }).waitFor();
  }
  await page.getByText("Topics to copy").waitFor();
  await tabTo(page, page.getByRole("radio", { name: "Start at once" }));
  await press("ArrowDown");
  await tabTo(page, page.getByRole("button", { name: "Create paused" }));
  await press("Enter");
  await page.waitForURL("**/replications/us-west/eu-central");
  await page.getByText("An operator paused the flow.").first().waitFor();
  const made = visits.service.faults.flows.filter(({ target }) => target === "eu-central");
  expect(made.map(({ source, status }) => [source, status])).toEqual([
    ["us-east", "healthy"],
    ["us-west", "paused"],
  ]);
});

test("nothing typed in the wizard is lost when the session ends", async () => {
  const { page } = await visits.open("/replications/new");
  await page.getByLabel("Source").selectOption("us-west");
  await page.getByLabel("Target").selectOption("eu-central");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Denied topics").fill("orders.tmp");
  visits.service.dropSockets(4401);
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  await page.reload();
  expect(await page.getByLabel("Denied topics").inputValue()).toBe("orders.tmp");
});

test("a viewer is told which role creates flows", async () => {
  visits.service.faults.permissions = ["flows.read"];
  const { page } = await visits.open("/replications/new");
  await page.getByText("Your role may not create flows").waitFor();
});
