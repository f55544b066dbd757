import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Draft } from "@/api/types";
import { ownDraft } from "@/features/configuration/useDraft";
import { aKey } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

beforeEach(() => sessionStorage.clear());

const KEY = "connectors.tasks.max";
const PROPERTY = {
  ...{ key: KEY, level: "connectors", alias: "", source: "", target: "", name: "tasks.max", value: "4" },
  ...{ is_secret: false, comment: "", origin: "rest", effect: "planning", note: "" },
};
const NO_MORE = { next_cursor: null, as_of_ms: 1, partial: [] };
const ADA = { username: "ada", role: "admin", permissions: ["flows.change"] };

const aDraft = (id: number, author: string, updated_ms = id): Draft => ({
  ...{ id, name: `Draft ${id}`, author, base_version: 1, created_ms: 1, updated_ms },
  changes: [{ key: "connectors.offset.lag.max", value: "7", comment: null }],
});
const checked = (draft: Draft) => ({
  ...{ ...draft, current_version: 1, is_valid: true, findings: [], differences: [], clusters: [], flows: [] },
});

function answerWithDrafts(...drafts: Draft[]) {
  answerWith({
    "/me": { status: 200, body: ADA },
    "/properties": { status: 200, body: { ...NO_MORE, items: [PROPERTY], dialect: "srm" } },
    "/settings": { status: 200, body: { ...NO_MORE, items: [aKey("tasks.max")] } },
    "/config/drafts": { status: 200, body: { ...NO_MORE, items: drafts } },
    ...Object.fromEntries(
      drafts.map((draft) => [`/config/drafts/${draft.id}`, { status: 200, body: checked(draft) }]),
    ),
  });
}

test("the own draft is the newest one of the person", () => {
  const drafts = [aDraft(1, "ada", 5), aDraft(2, "bob", 9), aDraft(3, "ada", 7)];
  expect(ownDraft(drafts, "ada")?.id).toBe(3);
  expect(ownDraft(drafts, "eve")).toBeUndefined();
});

test("a change in another tab joins the person's draft, and keeps what the draft has", async () => {
  const user = userEvent.setup();
  answerWithDrafts(aDraft(1, "bob"), aDraft(2, "ada"));
  const answer = globalThis.fetch;
  const sent: { path: string; body: { changes?: { key: string }[] } }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return answer(request);
    const path = `${request.method} ${new URL(request.url).pathname}`;
    sent.push({ path, body: (await request.clone().json()) as { changes?: { key: string }[] } });
    return new Response(JSON.stringify(checked(aDraft(2, "ada"))), { status: 200 });
  });
  await renderAt(`/configuration?key=${KEY}`);
  expect(await screen.findByText("Your next change joins Draft 2.")).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "Edit the value" }));
  const field = await screen.findByLabelText("Value");
  await user.clear(field);
  await user.type(field, "8");
  await user.click(screen.getByRole("button", { name: "Add to the draft" }));

  await waitFor(() => expect(sent.at(-1)?.path).toBe("PATCH /api/v2/config/drafts/2"));
  expect(sent.at(-1)?.body.changes?.map(({ key }) => key)).toEqual(["connectors.offset.lag.max", KEY]);
});

test("beside an open draft those of others are named", async () => {
  answerWithDrafts(aDraft(1, "bob"), aDraft(2, "ada"));
  await renderAt("/configuration?draft=2");

  expect(await screen.findByText("1 other draft not applied")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Draft 1" })).toBeTruthy();
  expect(screen.getByText(/by bob/)).toBeTruthy();
});
