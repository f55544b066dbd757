/** The wizard for a new flow. */
import type { Page } from "playwright-core";
import { press, type Screen } from "./steps.ts";

export const NEW_FLOW: Record<string, Screen> = {
  "new-flow": { path: "/replications/new" },
  "new-flow-refused": { path: "/replications/new", act: press("Next") },
  ...wizardSteps(),
};

/** The steps of the wizard after the first one. */
function wizardSteps(): Record<string, Screen> {
  const next = press("Next");
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
  return Object.fromEntries(
    [2, 3, 4, 5].map((step) => [`new-flow-${step}`, { path: "/replications/new", act: toStep(step) }]),
  );
}
