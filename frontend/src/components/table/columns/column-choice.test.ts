import { expect, test } from "vitest";
import { choiceOf, columnsOf, offeredOf } from "@/components/table/columns/column-choice";

const ALL = [{ id: "flow" }, { id: "status" }, { id: "lag" }, { id: "owner", isExtra: true }];
const idsOf = (chosen: string | undefined) => columnsOf(ALL, chosen).map(({ id }) => id);

test("the address holds a choice of columns, and nothing for the usual ones", () => {
  expect(idsOf(undefined)).toEqual(["flow", "status", "lag"]);
  expect(choiceOf(ALL, ["lag", "flow", "status"])).toBeUndefined();
  expect(choiceOf(ALL, ["owner", "lag"])).toBe("lag,owner");
  expect(idsOf("lag,nonsense,owner")).toEqual(["flow", "lag", "owner"]);
});

test("a column that is always shown is not chosen", () => {
  const all = [{ id: "from" }, { id: "to", isAlways: true }, { id: "made" }];
  expect(columnsOf(all, choiceOf(all, [])).map(({ id }) => id)).toEqual(["from", "to"]);
  expect(offeredOf(all).map(({ id }) => id)).toEqual(["made"]);
  expect(choiceOf(all, ["made"])).toBeUndefined();
});

test("the first column remains when no other is chosen", () => {
  const chosen = choiceOf(ALL, ["flow"]);
  expect(idsOf(chosen)).toEqual(["flow"]);
});
