import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { GroupPreview as Preview } from "@/api/types";
import { errorsOf } from "@/components/preview/refusal";
import { useGroupPreview } from "@/components/preview/usePreview";
import { EMPTY_FLOW } from "@/features/new-flow/flow-form";
import { GroupsStep } from "@/features/new-flow/GroupsStep";
import { NAMING } from "@/features/new-flow/refusal";
import { type Answer, answerWith, renderWithAddress } from "@/test/render";

const FORM = {
  ...EMPTY_FLOW,
  source: "us-east",
  target: "eu-central",
  topicsAllow: "orders",
  groupsAllow: ".*",
};

const aPreview = (change: Partial<Preview> = {}): Preview => ({
  source: "us-east",
  target: "eu-central",
  on_source: 3,
  matches: [{ group: "billing", type: "classic", state: "active", topics: 2 }],
  skipped: [{ group: "logs", reason: "it has no committed offset on a topic of the flow" }],
  denied: [{ group: "test-1", reason: "the deny pattern test-.* matches it" }],
  near_misses: [],
  unmatched_patterns: [],
  counts: { matches: 1, skipped: 1, denied: 1, near_misses: 0, unmatched_patterns: 0 },
  ...change,
});

function Step({ form }: { form: typeof FORM }) {
  const preview = useGroupPreview(form, true, NAMING);
  return <GroupsStep form={form} change={() => {}} errors={errorsOf(preview.refusals)} preview={preview} />;
}

const show = async (answer: Answer, form = FORM) => {
  answerWith({ "/preview/groups": answer });
  await renderWithAddress(<Step form={form} />);
};

test("groups that are translated are listed, the others with the reason", async () => {
  await show({ status: 200, body: aPreview() });

  await screen.findByText("1 group selected");
  const row = screen.getByRole("row", { name: /billing/ });
  expect(row.textContent).toBe("billingactive2");
  screen.getByText("it has no committed offset on a topic of the flow");
  screen.getByText("the deny pattern test-.* matches it");
});

test("offsets that were not read are no 0", async () => {
  await show({
    status: 200,
    body: aPreview({ matches: [{ group: "billing", type: "classic", state: "empty", topics: null }] }),
  });

  expect((await screen.findByRole("row", { name: /billing/ })).textContent).toContain("not read");
});

test("a source without groups is told apart from patterns that select none", async () => {
  const nothing = { matches: [], skipped: [], denied: [], counts: {} };
  await show({ status: 200, body: aPreview({ ...nothing, on_source: 0, unmatched_patterns: [".*"] }) });

  await screen.findByText("us-east lists no consumer group for this login");
});

test("a source that fails is named, with a retry", async () => {
  await show({
    status: 503,
    body: { status: 503, title: "Unavailable", detail: "cluster us-east does not answer" },
  });

  await screen.findByText(/cluster us-east does not answer/);
  screen.getByRole("button", { name: /again|retry/i });
});

test("without a pattern nothing is asked", async () => {
  await show({ status: 500, body: {} }, { ...FORM, groupsAllow: " " });

  await screen.findByText("Enter a name or a pattern");
});

test("a pattern that is refused has the reason at its field, and no retry", async () => {
  const errors = [
    { field: "allow", detail: "[unclosed: the character class has no end" },
    { field: "topics_allow", detail: "(: the group has no end" },
  ];
  await show({ status: 400, body: { status: 400, title: "Not valid", detail: "allow: no", errors } });

  await screen.findByText("[unclosed: the character class has no end");
  expect(screen.getByLabelText("Groups").getAttribute("aria-invalid")).toBe("true");
  screen.getByText("(: the group has no end");
  expect(screen.queryByRole("button", { name: /retry/i })).toBeNull();
});
