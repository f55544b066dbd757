import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Audit, AuditStanding, TopicAuditResult } from "@/api/types";
import { AuditCard } from "@/features/audits/AuditCard";
import { answerWith, renderAlone } from "@/test/render";

const REQUESTED_MS = 1_760_000_000_000;

function renderCard(provenUntilMs: number | null = null): Promise<unknown> {
  const card = <AuditCard source="us-east" target="eu-central" provenUntilMs={provenUntilMs} />;
  return renderAlone("/replications/$source/$target", card, "/replications/us-east/eu-central");
}

const NOTHING: Audit["findings"] = {
  missing: 0,
  changed: 0,
  reordered: 0,
  unexpected: 0,
  duplicate: 0,
  gap: 0,
  skipped: 0,
  dead_lettered: 0,
};

const anAudit = (change: Partial<Audit> = {}): Audit => ({
  id: 7,
  source: "us-east",
  target: "eu-central",
  state: "done",
  verdict: "equal",
  mode: "full",
  requested_ms: REQUESTED_MS,
  requested_by: "ada",
  scheduled: false,
  progress: { done: 1, text: "" },
  error: null,
  silent_ms: null,
  topics_asked: 1,
  first_topics: ["orders"],
  topics_done: 1,
  records_source: 2_000_000,
  records_target: 1_999_999,
  findings: NOTHING,
  proven_until_ms: null,
  ...change,
});

const page = (...items: unknown[]) => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

const WORST_FIRST = ["different", "unknown", "warnings", "counts_agree", "equal"] as const;

/** The state of a flow whose topics have these results. */
function standing(topics: Record<string, Partial<TopicAuditResult>>) {
  const listed = Object.entries(topics).map(([topic, change]): TopicAuditResult => {
    return { topic, verdict: "equal", audit_id: 2, at_ms: REQUESTED_MS, findings: NOTHING, ...change };
  });
  const count = (verdict: string) => listed.filter((topic) => topic.verdict === verdict).length;
  const body: AuditStanding = {
    verdict: WORST_FIRST.find((verdict) => count(verdict) > 0) ?? "unknown",
    topics_total: listed.length,
    by_verdict: {
      different: count("different"),
      unknown: count("unknown"),
      warnings: count("warnings"),
      counts_agree: count("counts_agree"),
      equal: count("equal"),
    },
    topics: listed,
    next_cursor: null,
    as_of_ms: 1,
  };
  return { status: 200, body };
}

const operator = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };

const missingOne = { ...NOTHING, missing: 1 };

const FINDING = {
  topic: "orders",
  partition: 3,
  kind: "missing",
  source_offset: 41,
  target_offset: null,
  records: 1,
  detail: "",
};

async function toneOf(words: string): Promise<string | null | undefined> {
  return (await screen.findByText(words)).closest("div")?.getAttribute("data-tone");
}

test("a finding is shown with its offsets on both sides", async () => {
  const audit = anAudit({ verdict: "different", findings: missingOne });
  const state = standing({ orders: { verdict: "different", audit_id: 7, findings: missingOne } });
  answerWith({ "/audits": page(audit), "/audits/state": state, "/audits/7/findings": page(FINDING) });
  await renderCard();

  expect(await toneOf("Source and copy differ in 1 of 1 topic")).toBe("bad");
  const row = (await screen.findByRole("rowheader", { name: "Missing" })).closest("tr");
  expect(row?.textContent).toContain("41none1");
  const records = screen.getByRole("link", { name: "Both records of orders, partition\u00a03, offset 41" });
  expect(records.getAttribute("href")).toBe(
    "/replications/us-east/eu-central/topics/orders/record?partition=3&offset=41",
  );
  expect(screen.queryByRole("button", { name: "Audit everything" })).toBeNull();
});

test("a known difference is not hidden by a later audit of another topic, and its findings are shown", async () => {
  const state = standing({
    orders: { verdict: "different", audit_id: 3, findings: { ...NOTHING, missing: 12, changed: 1 } },
    inventory: { audit_id: 16 },
    clicks: { verdict: "unknown", audit_id: null, at_ms: null, findings: null },
  });
  answerWith({
    "/audits": page(anAudit({ id: 16, first_topics: ["inventory"] })),
    "/audits/state": state,
    "/audits/3/findings": page(FINDING),
  });
  await renderCard();

  expect(await toneOf("Source and copy differ in 1 of 3 topics")).toBe("bad");
  const link = await screen.findByRole("link", { name: "audit 3" });
  expect(link.closest("p")?.textContent).toContain("orders: 12 missing, 1 changed, audit 3");
  expect(link.getAttribute("href")).toContain("audit=3");
  expect(screen.getByText("1 topic not compared to the end")).toBeTruthy();
  expect(await screen.findByRole("heading", { name: "Findings of audit 3" })).toBeTruthy();
  expect(screen.queryByText("Source and copy hold the same records")).toBeNull();
});

test("the same records in one of four topics is not good news about the flow", async () => {
  const unknown = { verdict: "unknown", audit_id: null, at_ms: null, findings: null } as const;
  const state = standing({ orders: unknown, payments: unknown, clicks: unknown, inventory: {} });
  answerWith({
    "/audits": page(anAudit({ state: "cancelled", verdict: "unknown" })),
    "/audits/state": state,
  });
  await renderCard();

  expect(await toneOf("1 of 4 topics compared, the same")).toBe("idle");
});

test.each([
  ["equal", "Source and copy hold the same records", "ok"],
  ["counts_agree", "The numbers of records agree; for some topics only these can be compared", "ok"],
  ["warnings", "No unexplained differences; some records were copied twice or skipped and recorded", "warn"],
  ["unknown", "No topic has been compared to its end", "idle"],
] as const)("the verdict %s of all topics is told in words and in a tone", async (verdict, words, tone) => {
  answerWith({ "/audits": page(anAudit()), "/audits/state": standing({ orders: { verdict } }) });
  await renderCard();

  expect(await toneOf(words)).toBe(tone);
});

test("the last audits are listed with their topics, verdict, findings and report", async () => {
  answerWith({
    "/audits": page(
      anAudit({
        id: 9,
        state: "cancelled",
        verdict: "unknown",
        first_topics: ["a", "b", "c"],
        topics_asked: 5,
      }),
      anAudit({ id: 8, state: "failed", verdict: "unknown", error: "topic a does not exist" }),
      anAudit({ id: 7, verdict: "different", findings: missingOne }),
    ),
    "/audits/state": standing({ orders: {} }),
    "/audits/7/findings": page(FINDING),
  });
  await renderCard();

  const table = await screen.findByRole("region", { name: "Table of audits" });
  const rows = within(table).getAllByRole("row").slice(1);
  expect(rows[0]?.textContent).toContain("a, b, c and 2 moreCancellednone");
  expect(rows[1]?.textContent).toContain("Failedtopic a does not exist");
  expect(rows[2]?.textContent).toContain("ordersDifferent1");
  const report = within(table).getByRole("link", { name: "Report of audit 7" });
  expect(report.getAttribute("href")).toBe("/api/v2/replications/us-east/eu-central/audits/7/report");
  expect(screen.queryByRole("heading", { name: /Findings/ })).toBeNull();

  await userEvent.click(within(table).getByRole("link", { name: "1" }));
  expect(await screen.findByRole("heading", { name: "Findings of audit 7" })).toBeTruthy();
  expect(await screen.findByRole("rowheader", { name: "Missing" })).toBeTruthy();
});

const running = anAudit({
  state: "running",
  verdict: "unknown",
  progress: { done: 0.25, text: "orders" },
  silent_ms: 900,
});

test("the commands of the list of audits are beside the list, apart from those of an audit", async () => {
  answerWith({ "/audits": page(running), "/audits/state": standing({}), "/me": operator });
  await renderCard();

  const list = await screen.findByRole("button", { name: "Command and request of the audits" });
  expect(list.closest("header")).toBeNull();
  expect(list.closest(".control-part")?.textContent).toBe("Last audits");
});

test("an audit under way shows how far it is, and an operator may cancel it", async () => {
  const state = standing({ orders: { verdict: "unknown", audit_id: null, at_ms: null, findings: null } });
  answerWith({ "/audits": page(running), "/audits/state": state, "/me": operator });
  await renderCard();

  expect(await toneOf("Audit 7: 25 %, orders")).toBe("idle");
  expect(await screen.findByRole("button", { name: "Cancel the audit" })).toBeTruthy();
  expect(screen.queryByText(/has not answered/)).toBeNull();
});

test("an audit whose metrics process is silent says for how long", async () => {
  answerWith({
    "/audits": page({ ...running, silent_ms: 42_000 }),
    "/audits/state": standing({ orders: {} }),
  });
  await renderCard();

  expect(await toneOf("The metrics process has not answered for 42 s")).toBe("warn");
});

test("an audit that no process starts says for how long", async () => {
  const waiting = { ...running, state: "requested", silent_ms: 180_000 };
  answerWith({ "/audits": page(waiting), "/audits/state": standing({ orders: {} }) });
  await renderCard();

  expect(await toneOf("Audit 7: waiting for the metrics process of the target, for 3 min")).toBe("warn");
});

test("a flow that was never audited says so and offers to start", async () => {
  answerWith({ "/me": operator });
  await renderCard(REQUESTED_MS);

  expect(await screen.findByText("This flow has not been audited yet")).toBeTruthy();
  expect(screen.getByText("Proven until", { exact: false })).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Audit everything" })).toBeTruthy();
});

test("an audit of everything says what it reads before it starts", async () => {
  const user = userEvent.setup();
  answerWith({
    "/me": operator,
    "/audits/estimate": {
      status: 200,
      body: { topics: 2, partitions: 9, records: 1_234_567, unmeasured: 1 },
    },
  });
  await renderCard();
  await user.click(await screen.findByRole("button", { name: "Audit everything" }));

  expect(
    await screen.findByText(
      "Reads 2 topics with 9 partitions on us-east, at most 1,234,567 records, and as many copies on eu-central. " +
        "Not counted: 1 partition without a report.",
    ),
  ).toBeTruthy();
  expect(screen.getByRole("button", { name: "Start the audit" })).toBeTruthy();
});
