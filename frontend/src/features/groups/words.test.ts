import { expect, test } from "vitest";
import type { GroupCause } from "@/api/types";
import { causeTexts } from "@/features/groups/words";

const CAUSE: GroupCause = {
  code: "bounded_only",
  text: "orders-3: the place is known within bounds.",
  remedy: "Nothing is skipped.",
  topic: "orders",
  partition: 3,
  readiness: "approximate",
  more_partitions: 4,
};

test("a cause of one partition says how many more partitions have it", () => {
  const one = { ...CAUSE, more_partitions: 1 };
  expect([CAUSE, one, { ...CAUSE, more_partitions: 0 }].map((cause) => causeTexts([cause])[0])).toEqual([
    "orders-3: the place is known within bounds. This is the case for 4 more partitions too.",
    "orders-3: the place is known within bounds. This is the case for 1 more partition too.",
    "orders-3: the place is known within bounds.",
  ]);
});

test("in a list of causes the last of a kind counts the partitions that are not named", () => {
  const next = { ...CAUSE, text: "orders-5: the place is known within bounds.", partition: 5 };
  const group = { ...CAUSE, code: "share_group", text: "It is a share group.", topic: null, partition: null };
  expect(causeTexts([{ ...group, more_partitions: 0 }, CAUSE, next])).toEqual([
    "It is a share group.",
    "orders-3: the place is known within bounds.",
    "orders-5: the place is known within bounds. This is the case for 3 more partitions too.",
  ]);
});
