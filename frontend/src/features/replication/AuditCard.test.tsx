import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Audit } from "@/api/types";
import { AuditCard } from "@/features/replication/AuditCard";
import { answerWith } from "@/test/render";

function renderCard(provenUntilMs: number | null = null): void {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <AuditCard source="us-east" target="eu-central" provenUntilMs={provenUntilMs} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

const AUDIT: Audit = {
  id: 7,
  source: "us-east",
  target: "eu-central",
  state: "done",
  verdict: "different",
  mode: "full",
  requested_ms: 1_760_000_000_000,
  requested_by: "ada",
  scheduled: false,
  progress: { done: 1, text: "" },
  error: null,
  topics_asked: 1,
  topics_done: 1,
  records_source: 2_000_000,
  records_target: 1_999_999,
  findings: {
    missing: 1,
    changed: 0,
    reordered: 0,
    unexpected: 0,
    duplicate: 0,
    gap: 0,
    skipped: 0,
    dead_lettered: 0,
  },
  proven_until_ms: null,
};

const page = (...items: unknown[]) => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

const operator = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };

test("a finding is shown with its offsets on both sides", async () => {
  const finding = {
    topic: "orders",
    partition: 3,
    kind: "missing",
    source_offset: 41,
    target_offset: null,
    records: 1,
    detail: "",
  };
  answerWith({ "/audits": page(AUDIT), "/findings": page(finding) });
  renderCard();

  expect(await screen.findByText("Source and copy differ")).toBeTruthy();
  const row = (await screen.findByRole("rowheader", { name: "missing" })).closest("tr");
  expect(row?.textContent).toContain("41none1");
  expect(screen.queryByRole("button", { name: "Audit everything" })).toBeNull();
});

test.each([
  ["equal", "Source and copy hold the same records", "ok"],
  ["counts_agree", "The numbers of records agree; of some topics nothing else can be compared", "ok"],
  ["warnings", "Nothing is missing unexplained; some records came twice or were left out on record", "warn"],
])("the verdict %s is told in words and in a tone", async (verdict, words, tone) => {
  const findings = { ...AUDIT.findings, missing: 0 };
  answerWith({ "/audits": page({ ...AUDIT, verdict, findings }) });
  renderCard();

  const banner = (await screen.findByText(words)).closest("div");
  expect(banner?.getAttribute("data-tone")).toBe(tone);
});

test("an audit under way shows how far it is, and an operator may cancel it", async () => {
  const running = {
    ...AUDIT,
    state: "running",
    verdict: "unknown",
    progress: { done: 0.25, text: "orders" },
  };
  answerWith({ "/audits": page(running), "/me": operator, "/findings": page() });
  renderCard();

  expect(await screen.findByText("25 %, orders")).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Cancel the audit" })).toBeTruthy();
});

test("a flow that was never audited says so and offers to start", async () => {
  answerWith({ "/me": operator });
  renderCard(1_760_000_000_000);

  expect(await screen.findByText("This flow has not been audited yet")).toBeTruthy();
  expect(screen.getByText("Proven until", { exact: false })).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Audit everything" })).toBeTruthy();
});
