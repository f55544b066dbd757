import { expect, test } from "vitest";
import { csvOf } from "@/lib/files/csv";

test.each([
  [null, ""],
  [undefined, ""],
  [-1.5, "-1.5"],
  [true, "true"],
  ["=1+1", "'=1+1"],
  ["-orders", "'-orders"],
  ['a "b", c', '"a ""b"", c"'],
  [["a", "b"], '"[""a"",""b""]"'],
])("%o is a cell that no spreadsheet computes", (value, cell) => {
  expect(csvOf([["name"], [value]])).toBe(`name\r\n${cell}\r\n`);
});
