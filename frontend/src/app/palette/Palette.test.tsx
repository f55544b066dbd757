import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

const TOPICS = {
  items: [
    {
      kind: "topic",
      label: "orders",
      source: "us-east",
      target: "eu-central",
      topic: "orders",
      remote_topic: "us-east.orders",
    },
  ],
  next_cursor: null,
  as_of_ms: 1,
  partial: [],
};

function storeWith(...flows: Parameters<typeof aFlow>[0][]): LiveStore {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame(flows.map(aFlow)));
  return store;
}

beforeEach(() => window.localStorage.clear());

// The first test of the file: later ones find the palette loaded.
test("keys that are typed while the search loads are kept", async () => {
  answerWith({ "/search": { status: 200, body: TOPICS } });
  await renderAt("/clusters", storeWith({}));
  for (const key of ["/", "o", "r", "x", "Backspace", "d"]) fireEvent.keyDown(document.body, { key });

  const field = await screen.findByRole<HTMLInputElement>("combobox", { name: /Search flows/ });
  expect(field.value).toBe("ord");
});

test("the slash opens the search, which finds a topic of the service", async () => {
  answerWith({ "/search": { status: 200, body: TOPICS } });
  await renderAt("/clusters", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("/");
  const field = await screen.findByRole("combobox", { name: /Search flows/ });
  await user.type(field, "orders");
  expect(await screen.findByRole("option", { name: /us-east\.orders/, selected: true })).toBeTruthy();
});

test("a topic that no flow copies is found with its state, and leads to the topics of its flow", async () => {
  const returns = { topic: "returns", state: "available", partitions: 6, remote: null, reason: "no pattern" };
  const states = { source: "us-east", target: "eu-central", items: [returns], counts: {}, next_after: null };
  answerWith({ "/topic-states": { status: 200, body: states } });
  await renderAt("/clusters", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("/");
  await user.type(await screen.findByRole("combobox", { name: /Search flows/ }), "return");
  await user.click(await screen.findByRole("option", { name: /returns.*Available: us-east → eu-central/ }));
  expect(await screen.findByRole("region", { name: "Table of available topics" })).toBeTruthy();
});

test("a failed search is said, and flows are still found", async () => {
  answerWith({ "/search": { status: 503, body: {} } });
  await renderAt("/clusters", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("/");
  await user.type(await screen.findByRole("combobox", { name: /Search flows/ }), "us-east");
  await screen.findByText(/could not be searched/);
  expect(screen.getByRole("option", { name: /us-east → eu-central/ })).toBeTruthy();
});

async function searchFor(text: string): Promise<void> {
  const user = userEvent.setup();
  await user.keyboard("/");
  await user.type(await screen.findByRole("combobox", { name: /Search flows/ }), text);
}

const RETURNS = {
  ...{ source: "us-east", target: "eu-central", counts: {}, next_after: null },
  items: [{ topic: "returns", state: "available", partitions: 6, remote: null, reason: "no pattern" }],
};

const RETURNS_PATH = `/${RETURNS.source}/${RETURNS.target}/topic-states`;

/** Answers the question for topics that one flow does not copy when the test says so; other flows never answer. */
function holdTopicStates(): (answer: Response) => void {
  answerWith();
  let settle: (answer: Response) => void = () => undefined;
  const held = new Promise<Response>((resolve) => {
    settle = resolve;
  });
  keepRequests(({ path }) => {
    if (!path.endsWith("/topic-states")) return undefined;
    return path.endsWith(RETURNS_PATH) ? held : new Promise<Response>(() => undefined);
  });
  return settle;
}

test("nothing is said to match only when the flows have answered, too", async () => {
  const settle = holdTopicStates();
  await renderAt("/clusters", storeWith({}));
  await searchFor("zzzz");
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(screen.getByText("Searching…")).toBeTruthy();
  settle(Response.json({ ...RETURNS, items: [] }));
  expect(await screen.findByText("Nothing matches “zzzz”.")).toBeTruthy();
});

test("flows that could not be searched are told", async () => {
  answerWith({ "/topic-states": { status: 503, body: {} } });
  await renderAt("/clusters", storeWith({}));
  await searchFor("zzzz");
  expect(await screen.findByText(/does not copy could not be searched in every flow/)).toBeTruthy();
});

test("a result that arrives later does not move the choice to another row", async () => {
  const settle = holdTopicStates();
  await renderAt("/clusters", storeWith({}, { source: "returns-a" }, { source: "returns-b" }));
  await searchFor("returns");
  await screen.findByRole("option", { name: /returns-a → eu-central/, selected: true });
  fireEvent.keyDown(screen.getByRole("combobox", { name: /Search flows/ }), { key: "ArrowUp" });
  const last = screen.getByRole("option", { selected: true }).textContent;
  settle(Response.json(RETURNS));
  await screen.findByRole("option", { name: /Available: us-east → eu-central/ });
  expect(screen.getByRole("option", { selected: true }).textContent).toBe(last);
});

test("flows that are disabled or of another service are not searched for topics", async () => {
  answerWith();
  const { reads } = keepRequests();
  await renderAt(
    "/clusters",
    storeWith({ status: "disabled" }, { target: "far", service: "http://a:1" }, { target: "own" }),
  );
  await searchFor("zzzz");
  expect(await screen.findByText("Nothing matches “zzzz”.")).toBeTruthy();
  const asked = reads.map(({ path }) => path).filter((path) => path.endsWith("/topic-states"));
  expect(asked).toEqual(["/replications/us-east/own/topic-states"]);
});

test("an audit says what it reads before it starts, and leads to its flow", async () => {
  const estimate = { topics: 2, partitions: 3, records: 40, unmeasured: 0 };
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    "/audits/estimate": { status: 200, body: estimate },
  });
  const { changes } = keepRequests();
  await renderAt("/clusters", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("/");
  await user.type(await screen.findByRole("combobox", { name: /Search flows/ }), "audit eu-central");
  await user.click(await screen.findByRole("option", { name: /Audit us-east → eu-central…/ }));
  await screen.findByText(/Reads 2 topics with 3 partitions on us-east, at most 40 records/);
  expect(changes).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Start the audit" }));
  await screen.findByRole("navigation", { name: "Parts of us-east to eu-central" });
  expect(changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /replications/us-east/eu-central/audits",
  ]);
});

test("the draft stays open on the way to another page of the configuration", async () => {
  answerWith({ "/config/drafts/3": { status: 404, body: { title: "Not found", detail: "no draft 3" } } });
  await renderAt("/configuration?draft=3", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("/");
  await user.type(await screen.findByRole("combobox", { name: /Search flows/ }), "keys of");
  await user.click(await screen.findByRole("option", { name: /Keys of the configuration/ }));
  const tab = await screen.findByRole("link", { name: "Keys", current: "page" });
  expect(tab.getAttribute("href")).toBe("/configuration/keys?draft=3");
});

test("p pauses and resumes live updates, unless single keys are off", async () => {
  answerWith();
  const store = storeWith({});
  await renderAt("/clusters", store);
  const user = userEvent.setup();
  await user.keyboard("p");
  expect(store.isPaused()).toBe(true);
  await user.keyboard("p");
  expect(store.isPaused()).toBe(false);
  await user.keyboard("?");
  expect(await screen.findByText("Pause or resume live updates")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Turn off single-key shortcuts" }));
  await user.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.keyboard("p");
  expect(store.isPaused()).toBe(false);
});

test("single keys can be turned off", async () => {
  answerWith();
  await renderAt("/clusters", storeWith({}));
  const user = userEvent.setup();
  await user.keyboard("?");
  await user.click(await screen.findByRole("button", { name: "Turn off single-key shortcuts" }));
  await user.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.keyboard("?");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the title of the tab counts the unhealthy flows", async () => {
  answerWith();
  await renderAt("/clusters", storeWith({ status: "failed" }, { target: "analytics" }));
  await waitFor(() => expect(document.title).toMatch(/^\(1\) Clusters/));
});
