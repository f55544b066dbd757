/** Moves by keyboard alone, as a person without a mouse does. */
import type { Locator, Page } from "playwright-core";

/** More than any page of the tests has; a walk round the whole page fails. */
const MOST_STOPS = 150;

/** Presses Tab until this control has the focus; fails when no Tab reaches it. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let stops = 0; stops <= MOST_STOPS; stops += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no Tab of ${MOST_STOPS} reaches ${control}`);
}
