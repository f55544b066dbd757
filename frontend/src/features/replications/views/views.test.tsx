import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import type { SavedView } from "@/api/types";
import { PinButton } from "@/components/flow/PinButton";
import { sortedFlows } from "@/features/replications/table/columns";
import { useTableView } from "@/features/replications/table/search";
import { ViewMenu } from "@/features/replications/views/ViewMenu";
import { isShown, openingSearch, queryOfView, searchOfView } from "@/features/replications/views/view-query";
import { aFlow } from "@/test/builders";
import { answerWith, renderAlone } from "@/test/render";
import { keepRequests, type Sent } from "@/test/requests";

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

/** The service answers as given; returns the changes that the page asks for. */
function answering(special: Parameters<typeof answerWith>[0]): Sent[] {
  answerWith(special);
  return keepRequests(({ method }) => {
    if (method === "GET") return undefined;
    return method === "DELETE" ? new Response(null, { status: 204 }) : Response.json(aView());
  }).changes;
}

/** The tools of the table alone: the button of the views, a choice of columns and a pin. */
function Tools() {
  const [view, change] = useTableView();
  return (
    <>
      <ViewMenu columns={view.columns} />
      <p>Columns: {view.columns ?? "the usual ones"}</p>
      <button type="button" onClick={() => change({ columns: "owner" })}>
        Only the owner
      </button>
      <PinButton source="us-east" target="busy" />
    </>
  );
}

const openAt = (address: string) => renderAlone("/replications", <Tools />, address);

async function openViews(user: ReturnType<typeof userEvent.setup>) {
  await user.click(await screen.findByRole("button", { name: "Saved views" }));
  return within(await screen.findByRole("dialog", { name: "Saved views" }));
}

test("a view is saved as shown, made the default, renamed and deleted after a second press", async () => {
  const user = userEvent.setup();
  const sent = answering({ "/me/views": page(aView()) });
  await openAt("/replications?sort=-lag");
  const views = await openViews(user);

  await user.type(await views.findByLabelText("Save this view as"), "mine");
  expect(sessionStorage.getItem("save view")).toContain("mine");
  await user.click(views.getByRole("button", { name: "Save the view" }));
  await user.click(views.getByRole("button", { name: "Use lagging as the default view" }));
  await user.click(views.getByRole("button", { name: "Rename lagging" }));
  await user.type(views.getByLabelText("Name of the view"), "!");
  await user.click(views.getByRole("button", { name: "Rename the view" }));
  await user.click(views.getByRole("button", { name: "Delete lagging" }));
  expect(sent.map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
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

test("a chosen view and the standard view change the address; no rule of accessibility is broken", async () => {
  const user = userEvent.setup();
  answering({ "/me/views": page(aView()) });
  const search = await openAt("/replications");

  const view = await (await openViews(user)).findByRole("button", { name: "lagging" });
  // Colours need a browser: the pairs of tokens have their own test.
  const rules = { "color-contrast": { enabled: false }, region: { enabled: false } };
  expect((await axe.run(document.body, { rules })).violations.map(({ id }) => id)).toEqual([]);
  await user.click(view);
  await waitFor(() => expect(search()).toEqual({ status: "degraded", sort: "-lag", columns: "lag" }));
  await user.click((await openViews(user)).getByRole("button", { name: "Standard view" }));
  await waitFor(() => expect(search()).toEqual({}));
});

test("the page opens with the default view", async () => {
  answering({ "/me/views": page(aView({ query: "q=busy", is_default: true })) });
  const search = await openAt("/replications");

  await waitFor(() => expect(search()).toEqual({ q: "busy" }));
});

test("columns and pins are kept for the person", async () => {
  const user = userEvent.setup();
  const body = { pinned_flows: ["a->b"], columns: ["lag", "owner"] };
  const sent = answering({ "/me/preferences": { status: 200, body } });
  await openAt("/replications");

  expect(await screen.findByText("Columns: lag,owner")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Only the owner" }));
  expect(await screen.findByText("Columns: owner")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Pin us-east to busy" }));

  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map((each) => each.body)).toEqual([
    { pinned_flows: ["a->b"], columns: ["owner"] },
    { pinned_flows: ["a->b", "us-east->busy"], columns: ["owner"] },
  ]);
});

test("pinned flows are first in any order", () => {
  const rows = ["a", "b", "c"].map((target) => ({
    flow: aFlow({ target, lag_offsets: target.charCodeAt(0) }),
    facts: undefined,
    statistic: "now" as const,
  }));

  const ordered = sortedFlows(rows, "-lag", ["us-east->a"]);

  expect(ordered.map(({ flow }) => flow.target)).toEqual(["a", "c", "b"]);
});
