import { expect, test } from "vitest";
import { ApiProblem, reasonOf, Unreachable } from "@/api/problem";

test("the service's own reason is told", () => {
  expect(reasonOf(new ApiProblem(409, { detail: "An audit is running." }))).toBe("An audit is running.");
});

test("a state that has changed is told in words for people", () => {
  const problem = new ApiProblem(412, { detail: 'read it again, then send If-Match: "8"' });
  expect(reasonOf(problem)).toContain("Someone else has changed this since you opened it.");
  expect(reasonOf(problem)).not.toContain("If-Match");
});

test("a service that does not answer is told", () => {
  expect(reasonOf(new Unreachable(new TypeError("Failed to fetch")))).toContain("does not answer");
});

test("the text of a library is never told", () => {
  const text = '["audits","a","b"] data is undefined';
  expect(reasonOf(new Error(text))).not.toContain("undefined");
});
