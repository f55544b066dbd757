/** Pages of the configuration in a real browser. */
import { describe, expect, test } from "vitest";
import { tabTo } from "../keyboard.ts";
import { inOrder, visiting } from "../visits.ts";

const visits = visiting();
const FLOW_NODE = "/configuration?at=flow%3Aus-east-%3Eus-west";
const OPERATOR = ["flows.read", "flows.act", "flows.change", "clusters.read"];
const REVIEW = "/configuration/review?draft=1";

function draftOn(base_version: number, value = "6") {
  const changes = [{ key: "connectors.tasks.max", value }];
  visits.service.faults.configuration.draft = {
    id: 1,
    name: "More slots",
    author: "admin",
    base_version,
    changes,
  };
}

describe("the configuration", () => {
  test("a value is edited, reviewed and applied, and the drivers' progress is seen", async () => {
    const visit = await visits.open(FLOW_NODE);
    const { page } = visit;
    await page.getByRole("button", { name: "us-east->us-west.tasks.max" }).click();
    await page.getByText("Other properties that set tasks.max").waitFor();
    await inOrder(visit, "configuration");
    await page.getByRole("button", { name: "Edit the value" }).click();
    const form = page.getByRole("form", { name: "Value of us-east->us-west.tasks.max" });
    await form.getByLabel("Value").fill("12");
    await form.getByLabel("Comment").fill("for the sale");
    await form.getByRole("button", { name: "Start a draft" }).click();
    await page.getByRole("link", { name: "Review 1 change" }).click();
    await page.getByText("at most 3.10M", { exact: true }).waitFor();
    await inOrder(visit, "configuration-review");
    await page.getByRole("button", { name: "Apply 1 change" }).click();
    await page.getByRole("heading", { name: "Changes from version 7 to 8" }).waitFor();
    await page.getByRole("region", { name: "Table of revisions" }).waitFor();
    await inOrder(visit, "configuration-history");
  });

  test("keys, a file and its errors, and the form of a new property", async () => {
    const visit = await visits.open("/configuration/keys?key=tasks.max");
    const { page } = visit;
    await page.getByText("Values in force").waitFor();
    await page.locator(".flow-values del").first().waitFor();
    await inOrder(visit, "configuration-keys");
    await page.getByRole("link", { name: "Import and export" }).click();
    await page.getByLabel("Content").fill("tasks.mx = 4\nconnectors.tasks.max = many\na->b.enabled = maybe");
    await page.getByRole("button", { name: "Check the file" }).click();
    await page.getByText("The file has 2 errors and 1 warning.").waitFor();
    await inOrder(visit, "configuration-import");
    await page.getByRole("link", { name: "Properties", exact: true }).click();
    await page.getByRole("button", { name: "Add a property" }).click();
    await page.getByRole("form", { name: "Add a property" }).waitFor();
    await inOrder(visit, "configuration-new");
  });

  test("values in force of a flow with those that lost", async () => {
    const visit = await visits.open("/replications/us-east/us-west?tab=configuration");
    const { page } = visit;
    await page.getByRole("button", { name: "linger.ms" }).click();
    const chain = page.locator(".chain");
    expect(await chain.locator("del").allInnerTexts()).toEqual(["20", "5"]);
    expect(await chain.innerText()).toContain("a global key is not read for clients");
    await inOrder(visit, "flow-configuration");
  });

  test("what others changed is seen before a draft replaces it", async () => {
    draftOn(5);
    const visit = await visits.open(REVIEW);
    const { page } = visit;
    await page.getByRole("heading", { name: "Others have changed the configuration" }).waitFor();
    await page.getByText("Put the draft on top of version 7 first.").waitFor();
    await inOrder(visit, "configuration-others");
    await page.getByRole("button", { name: "Put the draft on top of version 7" }).click();
    await page.getByRole("heading", { name: "Others have changed" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Apply 1 change" }).click({ trial: true });
  });
});

test("a value and an import that are typed outlive a new sign-in, secrets do not", async () => {
  const { page } = await visits.open("/configuration/transfer");
  const content = page.getByLabel("Content");
  await content.fill("tasks.max = 4");
  await page.reload();
  expect(await content.inputValue()).toBe("tasks.max = 4");
  await content.fill("us-east.ssl.truststore.password = planted");
  await page.reload();
  expect(await content.inputValue()).toBe("");
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain("planted");
  await page.getByRole("link", { name: "Properties", exact: true }).click();
  await page.getByRole("button", { name: "Add a property" }).click();
  await page.getByLabel("Key", { exact: true }).fill("tasks.max");
  await page.getByLabel("Comment").fill("for the sale");
  await page.reload();
  await page.getByRole("button", { name: "Add a property" }).click();
  expect(await page.getByLabel("Comment").inputValue()).toBe("for the sale");
});

test("somebody who is faster between review and order is named, and nothing is lost", async () => {
  draftOn(7);
  const { page } = await visits.open(REVIEW);
  const apply = page.getByRole("button", { name: "Apply 1 change" });
  await apply.click({ trial: true });
  visits.service.faults.configuration.version = 8;
  await apply.click();
  await page.getByText("Someone else changed the configuration in the meantime.").waitFor();
  await page.getByRole("button", { name: "Put the draft on top of version 8" }).click();
  await page.getByText("Put the draft on top of version 8 first.").waitFor({ state: "detached" });
  await apply.click();
  await page.getByRole("heading", { name: "Changes from version 8 to 9" }).waitFor();
});

test("a wrong value is refused where it is typed, and gets into no draft", async () => {
  const { page } = await visits.open("/configuration?key=connectors.tasks.max");
  await page.getByRole("button", { name: "Edit the value" }).click();
  const value = page.getByLabel("Value", { exact: true });
  await value.fill("many");
  await page.keyboard.press("Enter");
  await page.getByText("expected a whole number, found many").waitFor();
  expect(await value.getAttribute("aria-invalid")).toBe("true");
  expect(visits.service.faults.configuration.draft).toBeNull();
});

test("a draft with a wrong value names it, and cannot be applied", async () => {
  draftOn(7, "many");
  const { page } = await visits.open(REVIEW);
  await page.getByText("expected a whole number, found many").waitFor();
  await page.getByText("Fix the errors first.").waitFor();
  expect(await page.getByRole("button", { name: "Apply 1 change" }).isDisabled()).toBe(true);
});

test("a file is imported after its errors are mended, and the tree gets a version", async () => {
  const { page } = await visits.open("/configuration/transfer");
  const content = page.getByLabel("Content");
  await content.fill("clusters = us-east\nconnectors.tasks.max = many");
  await page.getByRole("button", { name: "Check the file" }).click();
  const findings = page.getByRole("list", { name: "Findings" });
  await findings.getByText("Line 2").waitFor();
  expect(await findings.innerText()).toContain("connectors.tasks.max = many");
  await content.fill("clusters = us-east\ntasks.mx = 6");
  await page.getByRole("button", { name: "Check the file" }).click();
  await page.getByText("did you mean tasks.max?").waitFor();
  await page.getByRole("button", { name: "Apply the import" }).click();
  await page.getByRole("heading", { name: "Changes from version 7 to 8" }).waitFor();
});

test("an export names what its format cannot hold", async () => {
  const { page } = await visits.open("/configuration/transfer");
  await page.getByLabel("Format of the export").selectOption("mm2");
  await page.getByText("mm2 has no level for workers").waitFor();
});

test("a revert shows its effect first", async () => {
  const { page } = await visits.open("/configuration/history");
  await page.getByRole("button", { name: "Revert to 5" }).click();
  const form = page.getByRole("form", { name: "Revert to version 5" });
  await form.getByText("connectors.tasks.max").waitFor();
  await form.getByRole("button", { name: "Revert to version 5" }).click();
  await page.getByRole("heading", { name: "Changes from version 7 to 8" }).waitFor();
});

test("a viewer reads, and an operator leaves secrets and clusters to admins", async () => {
  visits.service.faults.permissions = ["flows.read", "clusters.read"];
  const viewer = await visits.open("/configuration?key=connectors.tasks.max");
  await viewer.page.getByText("Changes need the operator role.").waitFor();
  expect(await viewer.page.getByRole("button", { name: /Edit|Remove|Add/ }).count()).toBe(0);

  visits.service.faults.permissions = OPERATOR;
  const operator = await visits.open("/configuration?key=us-east.sasl.jaas.config");
  await operator.page.getByText("Secrets need the admin role.").waitFor();
  expect(await operator.page.getByRole("button", { name: "Edit the value" }).isDisabled()).toBe(true);
});

test("a secret is never shown, and an empty field keeps it", async () => {
  const { page } = await visits.open("/configuration?key=us-east.sasl.jaas.config");
  await page.getByRole("button", { name: "Edit the value" }).click();
  const field = page.getByLabel("Value", { exact: true });
  expect(await field.getAttribute("type")).toBe("password");
  expect(await field.inputValue()).toBe("");
  await page.getByLabel("Comment").fill("rotated in May");
  await page.getByRole("button", { name: "Start a draft" }).click();
  await page.getByRole("link", { name: "Review 1 change" }).waitFor();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration, not a template
  expect(visits.service.faults.configuration.draft?.changes[0]?.value).toBe("${secret:hidden}");
});

test("the tree, the search, an edit, its review and its application work by keyboard alone", async () => {
  const { page } = await visits.open("/configuration");
  const levels = page.getByRole("navigation", { name: "Levels" });
  await tabTo(page, levels.getByRole("link", { name: /us-east → us-west/ }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "us-east → us-west", level: 2 }).waitFor();
  await tabTo(page, page.getByLabel("Key or value"));
  await page.keyboard.type("payments");
  const row = page.getByRole("button", { name: "us-east->us-west.topics" });
  await tabTo(page, row);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit the value" }).waitFor();
  expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
  await tabTo(page, page.getByRole("button", { name: "Edit the value" }));
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.type(", bills");
  await tabTo(page, page.getByRole("button", { name: "Start a draft" }));
  await page.keyboard.press("Enter");
  const review = page.getByRole("link", { name: "Review 1 change" });
  await review.waitFor();
  expect(visits.service.faults.configuration.draft?.changes[0]?.value).toBe("orders.*, payments, bills");
  await tabTo(page, review);
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { name: "Changed properties" });
  await heading.waitFor();
  const frame = await heading.evaluate((part) => [
    document.activeElement === part,
    getComputedStyle(part).outlineStyle,
  ]);
  expect(frame).toEqual([true, "none"]);
  await page.locator("h2:focus", { hasText: "Changed properties" }).waitFor();
  await tabTo(page, page.getByLabel("Comment"));
  await page.keyboard.type("bills, too");
  await tabTo(page, page.getByRole("button", { name: "Apply 1 change" }));
  await page.keyboard.press("Enter");
  await page.locator("h2:focus", { hasText: "Changes from version 7 to 8" }).waitFor();
});
