/** One order to many chosen rows of a long table. */
import { expect, test } from "vitest";
import { fleetOf } from "../bench/fleets.ts";
import { visiting } from "../visits.ts";

const visits = visiting();
const BAR_PX = 56;

test("a row far down is chosen without moving, and the form is in view below the bar", async () => {
  visits.service.faults.flows = fleetOf(60);
  const { page } = await visits.open("/replications", "light", { width: 1440, height: 900 });
  const box = page.getByRole("checkbox", { name: /^Choose kafka/ }).nth(39);
  await box.scrollIntoViewIfNeeded();
  const before = await box.boundingBox();
  await box.check();
  const form = page.getByRole("form", { name: "Action on the chosen flows" });
  await form.getByText("1 flow chosen.").waitFor();
  const after = await box.boundingBox();
  const top = (await form.boundingBox())?.y ?? 0;
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
  expect(top).toBeGreaterThanOrEqual(BAR_PX - 1);
  expect(top).toBeLessThan(BAR_PX + 5);
});
