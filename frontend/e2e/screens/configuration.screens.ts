/** The configuration with its drafts and versions. */
import { pictures } from "./pictures.ts";
import { draftOn, press, viewing } from "./steps.ts";

pictures({
  configuration: { path: "/configuration" },
  "configuration-flow": {
    path: "/configuration?at=flow%3Aus-east-%3Eus-west",
    act: press("us-east->us-west.tasks.max"),
  },
  "configuration-edit": {
    path: "/configuration?at=flow%3Aus-east-%3Eus-west&key=us-east-%3Eus-west.tasks.max",
    act: press("Edit the value"),
  },
  "configuration-preview": {
    path: "/configuration?at=flow%3Aus-east-%3Eeu-central&key=us-east-%3Eeu-central.topics",
    act: async (page) => {
      await press("Edit the value")(page);
      await page.getByLabel("Value", { exact: true }).fill("orders.*, payments, nothing");
      await page.getByText("1 new", { exact: true }).waitFor();
    },
  },
  "configuration-add": { path: "/configuration", act: press("Add a property") },
  "configuration-columns-menu": { path: "/configuration", act: press("Columns of the properties") },
  "configuration-sorted": {
    path: "/configuration?properties_sort=-value&properties_columns=value,effect,origin,level,comment",
  },
  "configuration-viewer": { path: "/configuration?key=connectors.tasks.max", service: viewing },
  "configuration-draft": { path: "/configuration?draft=1", service: draftOn(7) },
  "configuration-drafts": { path: "/configuration", service: draftOn(7) },
  "configuration-draft-gone": { path: "/configuration?draft=9" },
  "configuration-discard": { path: "/configuration?draft=1", service: draftOn(7), act: press(/^Discard/) },
  "configuration-secret": {
    path: "/configuration?key=us-east.sasl.jaas.config",
    act: press("Edit the value"),
  },
  "configuration-no-match": { path: "/configuration?q=nothing" },
  "configuration-keys": { path: "/configuration/keys?key=tasks.max" },
  "configuration-keys-columns-menu": { path: "/configuration/keys", act: press("Columns of the keys") },
  "configuration-keys-sorted": { path: "/configuration/keys?keys_sort=-set" },
  "configuration-transfer": { path: "/configuration/transfer" },
  "configuration-import-errors": {
    path: "/configuration/transfer",
    act: async (page) => {
      await page.getByLabel("Content").fill("tasks.mx = 4\nconnectors.tasks.max = many");
      await press("Check the file")(page);
      await page.getByText(/The file has/).waitFor();
    },
  },
  "configuration-review": { path: "/configuration/review?draft=1", service: draftOn(7) },
  "configuration-others": { path: "/configuration/review?draft=1", service: draftOn(5) },
  "configuration-no-draft": { path: "/configuration/review" },
  "configuration-history": { path: "/configuration/history" },
  "configuration-diff": { path: "/configuration/history?from_version=5&to_version=7" },
  "configuration-transfer-viewer": { path: "/configuration/transfer", service: viewing },
  "configuration-revert": { path: "/configuration/history", act: press("Revert to 5") },
});
