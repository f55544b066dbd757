import { expect, test } from "vitest";
import { isNameTyped } from "@/lib/words";

test.each([
  ["us-east->eu", true],
  [" us-east → eu ", true],
  ["us-east->eu-central", false],
  ["", false],
])("%j is the name of the flow: %s", (typed, is) => {
  expect(isNameTyped(typed, "us-east->eu")).toBe(is);
});
