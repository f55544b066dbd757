import { expect, test } from "vitest";
import { isNameTyped, matchesWords, plainText, sentence, wordOf } from "@/lib/words";

test.each([
  ["us-east->eu", true],
  [" us-east → eu ", true],
  ["us-east->eu-central", false],
  ["", false],
])("%j is the name of the flow: %s", (typed, is) => {
  expect(isNameTyped(typed, "us-east->eu")).toBe(is);
});

test("a description is shown without the marks of its links and its code", () => {
  const text = "`auto` audits every day ([audit](audit.md)), as [ADR 7](adr/0007-record.md) says.";
  expect(plainText(text)).toBe("auto audits every day (audit), as ADR 7 says.");
  expect(plainText("a[0] (b) and `c")).toBe("a[0] (b) and `c");
});

test("a typed label is the same as one of the text, not a part of it", () => {
  expect(matchesWords("us-east eu-west env=production team=shop", "us-east env=production")).toBe(true);
  expect(matchesWords("us-east eu-west env=production", "env=prod")).toBe(false);
  expect(matchesWords("us-east eu-west env=production", "prod")).toBe(true);
});

test("codes and sentences begin with a capital letter", () => {
  expect(wordOf("not_yet_copied")).toBe("Not yet copied");
  expect(wordOf("")).toBe("");
  expect(sentence("it stops")).toBe("It stops.");
});
