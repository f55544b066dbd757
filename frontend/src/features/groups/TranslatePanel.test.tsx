import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { TranslatedPlace } from "@/api/types";
import { TranslatePanel } from "@/features/groups/TranslatePanel";
import { placeOf, sameTranslation } from "@/features/groups/translate";
import { answerWith, renderPart } from "@/test/render";

const FLOW = { source: "us-east", target: "eu-central" };
const COMMITTED = { topic: "orders", partition: 3, committed: 25_000 };

const aPlace = (change: Partial<TranslatedPlace> = {}): TranslatedPlace => ({
  topic: "orders",
  partition: 3,
  direction: "to_target",
  kind: "exact",
  reason: "inside_run",
  evidence: "in the run 24,100 to 25,399",
  remote: "us-east.orders",
  timestamp_ms: null,
  given_offset: 25_000,
  offset: 16_990,
  latest: 16_990,
  rereads: 0,
  ...change,
});

function opened(place: TranslatedPlace | null): unknown[] {
  const sent: unknown[] = [];
  const answer =
    place === null
      ? { status: 503, body: { detail: "no control worker of target eu-central answers" } }
      : { status: 200, body: { ...FLOW, items: [place], unlooked: [] } };
  answerWith({
    "/partitions": { status: 200, body: { ...FLOW, partitions: [COMMITTED], unlooked: [], causes: [] } },
    "/translate": answer,
  });
  const answering = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input as Request;
    if (request.url.endsWith("/translate")) sent.push(await request.clone().json());
    return answering(input, init);
  };
  renderPart(<TranslatePanel flow={FLOW} group="billing" onClose={() => undefined} />);
  return sent;
}

test("the committed offset of the group is translated, with its evidence", async () => {
  const sent = opened(aPlace());
  await screen.findByDisplayValue("25000");

  await userEvent.click(screen.getByRole("button", { name: "Translate" }));

  const status = await screen.findByRole("status");
  expect(status.textContent).toContain("orders-3 offset 25,000 on us-east is");
  expect(status.textContent).toContain("us-east.orders-3 offset 16,990 on eu-central");
  expect(within(status).getByText("Exact")).toBeTruthy();
  expect(within(status).getByText("in the run 24,100 to 25,399")).toBeTruthy();
  expect(sent).toEqual([
    expect.objectContaining({
      items: [{ topic: "orders", partition: 3, offset: 25_000, direction: "to_target" }],
    }),
  ]);
});

test("a bounded place names its latest place and what is read again, and another offset clears it", async () => {
  opened(aPlace({ kind: "bounded", latest: 17_390, rereads: 400, evidence: "the copy ends before it" }));
  await screen.findByDisplayValue("25000");
  await userEvent.click(screen.getByRole("button", { name: "Translate" }));

  expect(
    await screen.findByText(/at the latest 17,390; .*reads 400 records again; the copy ends/),
  ).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: /^Offset/ }), "1");
  expect(screen.queryByText("Bounded")).toBeNull();
});

test("a place without a safe translation says so, and a failure can be tried again", async () => {
  opened(aPlace({ kind: "impossible", offset: null, latest: null, evidence: "the record is in a gap" }));
  await screen.findByDisplayValue("25000");
  await userEvent.click(screen.getByRole("button", { name: "Translate" }));
  expect(await screen.findByText(/no safe place on eu-central/)).toBeTruthy();
  expect(screen.getByText("the record is in a gap")).toBeTruthy();
});

test("a failure names its reason", async () => {
  opened(null);
  await screen.findByDisplayValue("25000");
  await userEvent.click(screen.getByRole("button", { name: "Translate" }));
  expect(await screen.findByText("no control worker of target eu-central answers")).toBeTruthy();
});

test("an incomplete place cannot be translated", () => {
  const question = { topic: "orders", partition: "0", offset: "7", direction: "to_target" } as const;
  expect(placeOf(question)).toEqual({ topic: "orders", partition: 0, offset: 7, direction: "to_target" });
  expect(
    [{ topic: " " }, { partition: "" }, { offset: "-1" }].map((part) => placeOf({ ...question, ...part })),
  ).toEqual([null, null, null]);
});

test("the same as a command and as a request", () => {
  const place = { topic: "or ders", partition: 3, offset: 41, direction: "to_source" } as const;

  const same = sameTranslation(FLOW, place);

  expect(same.command).toBe(
    "srm-control offsets translate 'us-east->eu-central' --topic 'or ders' --partition 3 --offset 41 --back",
  );
  expect(same.request).toContain("/api/v2/replications/us-east/eu-central/translate ");
  expect(same.request).toContain('"direction":"to_source"');
});
