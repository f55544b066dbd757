import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { SavedView } from "@/api/types";
import { isShown, openingSearch, queryOfView, searchOfView } from "@/features/replications/views/view-query";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

vi.mock("@/components/chart/TimeChart", () => ({
  default: ({ label }: { label: string }) => <p>{label}</p>,
}));

const aView = (change: Partial<SavedView> = {}): SavedView => ({
  id: 1,
  name: "lagging",
  page: "overview",
  query: "status=degraded&sort=-lag&columns=lag",
  is_default: false,
  changed_ms: 1,
  ...change,
});

const page = (...items: unknown[]) => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

describe("a view", () => {
  test("keeps the filter, order, columns and range of the address, and no selection", () => {
    const search = { q: "us east", sort: "-lag", from: "now-2h", flow: "a->b" };
    const query = queryOfView(search, "lag,owner");

    expect(query).not.toMatch(/[\s#?]/);
    expect(searchOfView({ query })).toEqual({
      q: "us east",
      sort: "-lag",
      from: "now-2h",
      columns: "lag,owner",
    });
  });

  test("is the one that is shown only if every part is the same", () => {
    const search = { status: "degraded", sort: "-lag" };
    expect(isShown(aView(), search, "lag")).toBe(true);
    expect(isShown(aView(), search, "lag,owner")).toBe(false);
    expect(isShown(aView(), { ...search, q: "eu" }, "lag")).toBe(false);
  });

  test("opens the page if it is the default and the address says nothing else; the range of the address wins", () => {
    const views = [aView(), aView({ id: 2, is_default: true, query: "sort=-lag&from=now-6h" })];
    expect(openingSearch(views, {})).toEqual({ sort: "-lag", from: "now-6h" });
    expect(openingSearch(views, { from: "now-1h" })).toEqual({ sort: "-lag", from: "now-1h" });
    expect(openingSearch(views, { q: "eu" })).toBeNull();
    expect(openingSearch(views, { flow: "a->b" })).toBeNull();
    expect(openingSearch([aView()], {})).toBeNull();
  });
});

interface Sent {
  method: string;
  path: string;
  body: unknown;
}

/** The service answers as given; returns the changes that the page asks for. */
function answering(special: Parameters<typeof answerWith>[0]): Sent[] {
  const sent: Sent[] = [];
  answerWith(special);
  const usual = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return usual(request);
    const text = await request.clone().text();
    const path = new URL(request.url).pathname.replace("/api/v2", "");
    sent.push({ method: request.method, path, body: text === "" ? null : JSON.parse(text) });
    return request.method === "DELETE" ? new Response(null, { status: 204 }) : Response.json(aView());
  });
  return sent;
}

function store(): LiveStore {
  const live = new LiveStore();
  live.opened();
  const flows = [
    aFlow({ target: "busy", bytes_per_second: 9e6 }),
    aFlow({ target: "quiet", bytes_per_second: 1e6 }),
  ];
  live.applyFrame(aFrame(flows, { time_ms: Date.now() }));
  return live;
}

async function openViews(user: ReturnType<typeof userEvent.setup>) {
  await user.click(await screen.findByRole("button", { name: "Saved views" }));
  return within(await screen.findByRole("dialog", { name: "Saved views" }));
}

beforeEach(() => window.localStorage.clear());

test("a view is saved as shown, made the default, renamed and deleted after a second press", async () => {
  const user = userEvent.setup();
  const sent = answering({ "/me/views": page(aView()) });
  await renderAt("/replications?sort=-lag", store());
  const views = await openViews(user);

  await user.type(await views.findByLabelText("Save this view as"), "mine");
  await user.click(views.getByRole("button", { name: "Save the view" }));
  await user.click(views.getByRole("button", { name: "Open the page with lagging" }));
  await user.click(views.getByRole("button", { name: "Rename lagging" }));
  await user.type(views.getByLabelText("Name of the view"), "!");
  await user.click(views.getByRole("button", { name: "Rename the view" }));
  await user.click(views.getByRole("button", { name: "Delete lagging" }));
  expect(sent.map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id }) => id)).toEqual([]);
  await user.click(views.getByRole("button", { name: "Delete lagging" }));

  await waitFor(() => expect(sent).toHaveLength(4));
  expect(sent[0]).toMatchObject({
    path: "/me/views",
    body: { name: "mine", page: "overview", is_default: false },
  });
  expect(JSON.stringify(sent[0]?.body)).toContain("sort=-lag&columns=");
  expect(sent[1]).toMatchObject({ path: "/me/views/1", body: { is_default: true } });
  expect(sent[2]?.body).toEqual({ name: "lagging!" });
  expect(sent[3]).toMatchObject({ method: "DELETE", path: "/me/views/1" });
});

test("a chosen view and the standard view change what the page shows", async () => {
  const user = userEvent.setup();
  answering({ "/me/views": page(aView({ query: "q=busy" })) });
  await renderAt("/replications", store());

  await user.click(await (await openViews(user)).findByRole("button", { name: "lagging" }));
  await waitFor(() => expect(screen.queryByRole("link", { name: "us-east to quiet" })).toBeNull());
  await user.click((await openViews(user)).getByRole("button", { name: "Standard view" }));
  expect(await screen.findByRole("link", { name: "us-east to quiet" })).toBeTruthy();
});

test("the page opens with the default view", async () => {
  answering({ "/me/views": page(aView({ query: "q=busy", is_default: true })) });
  await renderAt("/replications", store());

  await waitFor(() => expect(screen.queryByRole("link", { name: "us-east to quiet" })).toBeNull());
  expect(screen.getByRole("link", { name: "us-east to busy" })).toBeTruthy();
});

test("pinned flows are first, and the columns are those of the person", async () => {
  const body = { pinned_flows: ["us-east->quiet"], columns: ["owner"] };
  answering({ "/me/preferences": { status: 200, body } });
  await renderAt("/replications?sort=-throughput", store());
  const region = await screen.findByRole("region", { name: "Table of replication flows" });

  await waitFor(() => {
    const names = within(region)
      .getAllByRole("rowheader")
      .map((row) => within(row).getByRole("link").textContent);
    expect(names).toEqual(["us-east to quiet", "us-east to busy"]);
  });
  expect(within(region).getByRole("button", { name: "Owner" })).toBeTruthy();
  expect(within(region).queryByRole("button", { name: "Lag" })).toBeNull();
});

test("a column that is chosen is kept for the person", async () => {
  const user = userEvent.setup();
  const sent = answering({});
  await renderAt("/replications", store());

  await user.click(await screen.findByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Owner" }));

  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ method: "PUT", path: "/me/preferences", body: { pinned_flows: [] } });
  expect(JSON.stringify(sent[0]?.body)).toContain('"owner"');
});
