/** Pages of clusters in a real browser. */
import { describe, expect, test } from "vitest";
import { tabTo } from "./keyboard.ts";
import { inOrder, visiting } from "./visits.ts";

const visits = visiting();

describe("clusters", () => {
  test("the list, and the page of a cluster with its connection test", async () => {
    const list = await visits.open("/clusters");
    await list.page.getByRole("link", { name: "Add a cluster" }).waitFor();
    await inOrder(list, "clusters");
    await list.page.getByRole("link", { name: "us-west" }).click();
    await list.page.getByRole("heading", { name: "Flows in", exact: true }).waitFor();
    await list.page.getByRole("button", { name: "Test the connection" }).click();
    await list.page.getByText("The test failed").waitFor();
    await inOrder(list, "cluster");
  });

  test("a form that is refused names the fields", async () => {
    const visit = await visits.open("/clusters/new");
    const { page } = visit;
    await page.getByLabel("Protocol").selectOption("SASL_SSL");
    await page.getByLabel("SASL mechanism").selectOption("PLAIN");
    await page.getByRole("button", { name: "Add the cluster" }).click();
    await page.getByText("Enter an alias.").waitFor();
    await page.getByLabel("Alias").fill("us-east");
    await page.getByLabel("Bootstrap servers").fill("b1.us-east.example:9093");
    await page.getByRole("button", { name: "Add the cluster" }).click();
    await page.getByRole("button", { name: "Add it anyway" }).click();
    await page.getByText("there is a cluster us-east already").first().waitFor();
    expect(await page.getByLabel("Alias").getAttribute("aria-invalid")).toBe("true");
    await inOrder(visit, "cluster-new-refused");
  });

  test("a change that meets another one shows the difference", async () => {
    const visit = await visits.open("/clusters/us-west/edit");
    await visit.page.getByLabel("Owner").fill("payments");
    await visit.page.getByRole("button", { name: "Save the cluster" }).click();
    await visit.page.getByRole("region", { name: "Changes since you opened this page" }).waitFor();
    await inOrder(visit, "cluster-edit-conflict");
    await visit.page.getByRole("button", { name: "Keep my values on top of these changes" }).click();
    expect(await visit.page.getByLabel("Owner").inputValue()).toBe("payments");
    await visit.page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("deleting names the flows that forbid it", async () => {
    const visit = await visits.open("/clusters/us-west");
    await visit.page.getByRole("button", { name: "Delete", exact: true }).click();
    const confirm = visit.page.getByRole("button", { name: "Delete us-west" });
    await visit.page.getByLabel("Type us-west to confirm").fill("us-west");
    await visit.page.getByText("delete them first").waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await inOrder(visit, "cluster-delete-refused");
  });
});

test("a cluster is added by keyboard alone", async () => {
  const { page } = await visits.open("/clusters/new");
  await tabTo(page, page.getByLabel("Alias"));
  await page.keyboard.type("ap-south");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("b1.ap-south.example:9092");
  await tabTo(page, page.getByRole("button", { name: "Add the cluster" }));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add it anyway" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/clusters/ap-south");
});

test("what was typed is there after a new sign-in, the password is not", async () => {
  const { page } = await visits.open("/clusters/new");
  await page.getByLabel("Alias").fill("ap-south");
  await page.getByLabel("Protocol").selectOption("SASL_SSL");
  await page.getByLabel("SASL mechanism").selectOption("PLAIN");
  await page.getByLabel("Password", { exact: true }).fill("hush");
  visits.service.dropSockets(4401);
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  await page.reload();
  expect(await page.getByLabel("Alias").inputValue()).toBe("ap-south");
  expect(await page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain("hush");
});

test("a viewer sees the clusters and changes none", async () => {
  visits.service.faults.permissions = ["flows.read", "clusters.read"];
  const { page } = await visits.open("/clusters/us-east");
  await page.getByRole("heading", { name: "Flows in", exact: true }).waitFor();
  for (const name of ["Test the connection", "Delete"])
    expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
});
