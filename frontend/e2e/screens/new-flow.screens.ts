/** The wizard for a new flow. */
import type { Page } from "playwright-core";
import { pictures } from "./pictures.ts";
import { press, type Screen, viewing } from "./steps.ts";

const next = press("Next");

/** Fills the steps before this one, and opens it. */
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

const screen = (act: NonNullable<Screen["act"]>): Screen => ({ path: "/replications/new", act });

pictures({
  "new-flow": { path: "/replications/new" },
  "new-flow-viewer": { path: "/replications/new", service: viewing },
  "new-flow-refused": screen(next),
  "new-flow-2": screen(toStep(2)),
  "new-flow-2-error": screen(async (page, service) => {
    await toStep(2)(page);
    service.faults.api_status = 503;
    await page.getByRole("textbox", { name: /^Topics/ }).fill("payments");
    await page.getByRole("button", { name: "Retry" }).first().waitFor({ timeout: 30_000 });
  }),
  "new-flow-3": screen(toStep(3)),
  "new-flow-4": screen(toStep(4)),
  "new-flow-4-refused": screen(async (page) => {
    await toStep(4)(page);
    await page.getByLabel("Tasks").fill("many");
    await page.getByLabel("Throttle in MB/s").fill("fast");
    await page.getByLabel("Start point").selectOption("time");
    await next(page);
  }),
  "new-flow-5": screen(toStep(5)),
  "new-flow-5-error": screen(async (page, service) => {
    await toStep(4)(page);
    service.faults.api_status = 503;
    await next(page);
    await page.getByRole("button", { name: "Retry" }).first().waitFor({ timeout: 30_000 });
  }),
});
