import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { answerWith, renderAt } from "@/test/render";

beforeEach(() => sessionStorage.clear());

const DRAFT = {
  ...{ id: 1, name: "Draft", author: "ada", base_version: 2, current_version: 2, updated_ms: 1 },
  ...{ is_valid: true, findings: [], changes: [{ key: "tasks.max", value: "4", comment: "" }] },
  differences: [{ key: "tasks.max", before: "2", after: "4" }],
};
const PLAN = { clusters: [], flows: [], findings: [] };
const APPLIED = { version: 3, differences: [], flows: [], findings: [] };

test("a draft is applied once its plan and the changes of others are known; the focus follows", async () => {
  answerWith({
    "/me": { status: 200, body: { username: "ada", role: "admin", permissions: ["flows.change"] } },
    "/config/drafts/1": { status: 200, body: DRAFT },
    "/config/drafts/1/apply": { status: 200, body: APPLIED },
    "/config/plan": { status: 200, body: PLAN },
    "/config/diff": { status: 200, body: { from: 2, to: 3, differences: [] } },
  });
  const answer = globalThis.fetch;
  let answerPlan: () => void = () => {};
  const planned = new Promise<void>((resolve) => {
    answerPlan = resolve;
  });
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.url.endsWith("/config/plan")) await planned;
    return answer(request);
  });
  await renderAt("/configuration?draft=1");
  fireEvent.click(await screen.findByRole("link", { name: "Review 1 change" }));

  const heading = await screen.findByRole("heading", { name: "Changed properties" });
  await waitFor(() => expect(document.activeElement).toBe(heading));
  const apply = await screen.findByRole<HTMLButtonElement>("button", { name: "Apply 1 change" });
  expect(apply.disabled).toBe(true);
  expect(screen.getByText(/^Checking the plan/)).toBeTruthy();
  answerPlan();
  await waitFor(() => expect(apply.disabled).toBe(false));
  fireEvent.click(apply);

  const changes = await screen.findByRole("heading", { name: "Changes from version 2 to 3" });
  await waitFor(() => expect(document.activeElement).toBe(changes));
});

test("a draft with an error shows the values in force, and without one the drafts can be opened", async () => {
  const findings = [{ severity: "error", key: "tasks.max", line: null, message: "Must be a number." }];
  const changes = [{ key: "tasks.max", value: "abc", comment: "" }];
  const invalid = { ...DRAFT, is_valid: false, findings, changes, differences: [] };
  const stored = { key: "tasks.max", value: "2", is_secret: false };
  answerWith({
    "/me": { status: 200, body: { username: "ada", role: "admin", permissions: ["flows.change"] } },
    "/config/drafts/1": { status: 200, body: invalid },
    "/config/drafts": { status: 200, body: { items: [invalid], next_cursor: null } },
    "/properties": { status: 200, body: { items: [stored], next_cursor: null, dialect: "srm", version: 2 } },
  });
  await renderAt("/configuration/review");
  const review = await screen.findByRole("region", { name: "Review" });
  fireEvent.click(await within(review).findByRole("link", { name: DRAFT.name }));

  const table = await screen.findByRole("region", { name: "Table of wanted properties" });
  expect([...table.querySelectorAll("th, td")].map(({ textContent }) => textContent)).toEqual([
    ...["Key", "Before", "After"],
    ...["tasks.max", "2", "abc"],
  ]);
});

test.each([
  ["its author", "ada", 1],
  ["another operator", "bo", 0],
])("a draft that others overtook is put on top of their version by %s", async (_, username, buttons) => {
  answerWith({
    "/me": { status: 200, body: { username, role: "operator", permissions: ["flows.change"] } },
    "/config/drafts/1": { status: 200, body: { ...DRAFT, current_version: 3 } },
    "/config/plan": { status: 200, body: PLAN },
    "/config/diff": { status: 200, body: { from: 2, to: 3, differences: [] } },
  });
  await renderAt("/configuration/review?draft=1");
  await screen.findByRole("heading", { name: "Others have changed the configuration" });
  await screen.findByText(/^They changed no property of this draft/);

  await waitFor(() =>
    expect(screen.queryAllByRole("button", { name: "Put the draft on top of version 3" })).toHaveLength(
      buttons,
    ),
  );
});
