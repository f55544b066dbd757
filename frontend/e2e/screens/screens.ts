/** Every screen of the page: its address, and what has to happen there or to the service before the picture. */
import { CONFIGURATION } from "./configuration.ts";
import { FLOWS } from "./flows.ts";
import { NEW_FLOW } from "./new-flow.ts";
import { OVERVIEW } from "./overview.ts";
import { PLACES } from "./places.ts";
import { STATES } from "./states.ts";
import type { Screen } from "./steps.ts";

export const SCREENS: Record<string, Screen> = {
  ...OVERVIEW,
  ...STATES,
  ...FLOWS,
  ...NEW_FLOW,
  ...PLACES,
  ...CONFIGURATION,
};
