import { expect, test } from "vitest";
import type { RecordPair, RecordSide } from "@/api/types";
import { sameRecord } from "@/features/replication/record/commands";
import { findingOf } from "@/features/replication/record/finding";
import { partsOf } from "@/features/replication/record/parts";
import { aPair, aRecord, aSide, shown } from "@/test/records";

const namesOfDiffering = (pair: RecordPair, withValue = false) =>
  partsOf(pair, withValue)
    .filter(({ differs }) => differs)
    .map(({ name }) => name);

test("the parts that differ are marked, and of the headers only those that do", () => {
  const headers = [
    { name: "trace", value: shown("a") },
    { name: "origin", value: shown("us") },
  ];
  const pair = aPair({
    original: aSide({ record: aRecord({ headers, headers_total: 2 }) }),
    copy: aSide({
      record: aRecord({ headers: [{ name: "trace", value: shown("a") }], headers_total: 1, value_size: 3 }),
    }),
    differences: ["value", "headers"],
  });

  expect(namesOfDiffering(pair)).toEqual(["Size of the value", "Header origin", "Headers"]);
  expect(partsOf(pair, false).find(({ name }) => name === "Header origin")?.target).toBe("none");
});

test("values of one size that differ are marked where they are shown", () => {
  const pair = aPair({
    original: aSide({ record: aRecord({ value: shown("75") }) }),
    copy: aSide({ record: aRecord({ value: shown("76") }) }),
    differences: ["value"],
  });

  expect(namesOfDiffering(pair)).toEqual(["Size of the value"]);
  expect(namesOfDiffering(pair, true)).toEqual(["Value"]);
});

test("bytes that are no text, bytes that are cut, tombstones and null keys are told apart", () => {
  const binary = { size: 9000, text: null, base64: "AP8=", is_cut: true };
  const pair = aPair({
    original: aSide({ record: aRecord({ key: binary, value_size: null }) }),
    copy: aSide({ record: aRecord({ key: null }) }),
  });
  const [, , key, size] = partsOf(pair, false);

  expect(key).toMatchObject({ source: "base64:AP8=… (the beginning of 9,000 bytes)", target: "none" });
  expect(size).toMatchObject({ source: "none: a tombstone", target: "2 bytes" });
});

const without = (state: RecordSide["state"], text = "because") => aSide({ state, text, record: null });

test.each([
  [aPair(), "ok", "Both records are the same", null],
  [aPair({ differences: ["value", "timestamp"] }), "bad", "The copy differs in: value, time", 41],
  [
    aPair({ copy: without("not_copied"), differences: null }),
    "bad",
    "The record was not copied: because",
    41,
  ],
  [aPair({ copy: without("not_copied_yet"), differences: null }), "warn", "Not copied yet: because", null],
  [
    aPair({ copy: without("before_start"), differences: null }),
    "idle",
    "The copy no longer exists: because",
    null,
  ],
  [
    aPair({ original: without("before_start"), differences: null }),
    "idle",
    "The original no longer exists: because",
    null,
  ],
  [
    aPair({ original: without("place_unknown"), differences: null }),
    "warn",
    "No original of this record is known: because",
    null,
  ],
  [
    aPair({ copy: without("unreachable", "no broker answers"), differences: null }),
    "bad",
    "us-east could not be read: no broker answers",
    null,
  ],
] as const)("a pair says what it shows and what helps (%#)", (pair, tone, headline, resetTo) => {
  expect(findingOf(pair)).toMatchObject({ tone, headline, resetTo });
  expect(findingOf(pair).remedy).not.toBe("");
});

test("the same question as a command and as a request", () => {
  const address = { source: "us-east", target: "eu", topic: "or ders", partition: 3, offset: 41 };

  const same = sameRecord({ ...address, on: "target" }, true);

  expect(same.command).toBe(
    "srm-control record 'us-east->eu' --topic 'or ders' --partition 3 --offset 41 --on-target --value",
  );
  expect(same.request).toContain(
    "/api/v2/replications/us-east/eu/topics/or%20ders/partitions/3/records/41?on=target&value=true",
  );
});
