/** The drain and the restart of a driver in a browser, with their progress. */
import { expect, test } from "vitest";
import { visiting } from "../visits.ts";

const visits = visiting();

test("a driver is drained until it has no tasks, and takes tasks again", async () => {
  const { page } = await visits.open("/drivers");
  const order = async (name: string) => {
    await page.getByRole("button", { name }).first().click();
    const form = page.getByRole("form", { name });
    await form.getByLabel("Reason").fill("new disks");
    await form.getByRole("button", { name }).click();
    await form.waitFor({ state: "detached" });
  };
  await order("Drain driver-2");
  await page.getByText("new disks, by admin").first().waitFor();
  await page.getByText("No tasks left").first().waitFor();
  await order("Undrain driver-2");
  await page.getByRole("button", { name: "Drain driver-2" }).first().waitFor();
  expect(await page.getByText("new disks, by admin").count()).toBe(0);
});

test("a restart of a driver says how many of its processes are back", async () => {
  const { page } = await visits.open("/drivers");
  await page.getByRole("button", { name: "Restart driver-1" }).first().click();
  const form = page.getByRole("form", { name: "Restart driver-1" });
  await form.getByLabel("Reason").fill("upgrade");
  await form.getByRole("button", { name: "Restart driver-1" }).click();
  await page.getByText("Restart ordered: 0 of 2 processes back").first().waitFor();
  await page.getByText("0 of 2 processes back").first().waitFor({ state: "detached" });
});
