import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Cluster } from "@/api/types";
import { answerWith, renderAt } from "@/test/render";

beforeEach(() => window.localStorage.clear());

const DAY_MS = 86_400_000;

const aCluster = (alias: string, change: Partial<Cluster>): Cluster => ({
  alias,
  bootstrap: ["b:9092"],
  client: {},
  secret_names: [],
  location: "colocated",
  problem: "",
  warning: "",
  reachable: true,
  error: null,
  cluster_id: "id",
  brokers: 3,
  kafka_version: "4.1",
  certificate_until_ms: null,
  checked_ms: 1,
  labels: {},
  owner: "",
  criticality: "normal",
  runbook: "",
  ...change,
});

const list = (items: Cluster[]) => ({
  "/clusters": { status: 200, body: { items, next_cursor: null, as_of_ms: 1, partial: [] } },
});
const aliases = async () => (await screen.findAllByRole("rowheader")).map(({ textContent }) => textContent);

test("a second name of the same Kafka cluster is a warning beside its reachability", async () => {
  const warning = "This is the same Kafka cluster (id c) as us-east.";
  answerWith(list([aCluster("twin", { warning, checked_ms: Date.now() })]));
  await renderAt("/clusters");

  expect(await screen.findByText(warning)).toBeTruthy();
});

test("the address holds the filter, the order and the columns of the clusters", async () => {
  const clusters = [
    aCluster("us-east", { brokers: 3, owner: "payments" }),
    aCluster("eu-central", { brokers: 12, labels: { team: "payments" } }),
    aCluster("ap-south", { brokers: null, bootstrap: ["payments.example:9092"] }),
    aCluster("other", {}),
  ];
  answerWith(list(clusters));
  await renderAt("/clusters?q=payments&clusters_sort=-brokers&clusters_columns=brokers,labels");
  expect(await aliases()).toEqual(["eu-central", "us-east", "ap-south"]);
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Alias",
    "Brokers",
    "Labels",
  ]);
});

test("a heading sorts the clusters, and the menu chooses columns that this browser keeps", async () => {
  const user = userEvent.setup();
  answerWith(list([aCluster("b", { owner: "ada" }), aCluster("a", { owner: "bo" })]));
  await renderAt("/clusters");
  expect(await aliases()).toEqual(["a", "b"]);
  await user.click(screen.getByRole("button", { name: "Owner" }));
  await waitFor(async () => expect(await aliases()).toEqual(["b", "a"]));
  expect(screen.getByRole("columnheader", { name: "Owner" }).getAttribute("aria-sort")).toBe("ascending");

  await user.click(screen.getByRole("button", { name: "Columns of the clusters" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Kafka" }));
  await waitFor(() => expect(screen.queryByRole("columnheader", { name: "Kafka" })).toBeNull());
  cleanup();
  await renderAt("/clusters");
  await aliases();
  expect(screen.queryByRole("columnheader", { name: "Kafka" })).toBeNull();
  expect(screen.getByRole("columnheader", { name: "Owner" })).toBeTruthy();
});

test("clusters have Kafka's release and warn before a certificate ends", async () => {
  const items = [
    aCluster("us-east", { certificate_until_ms: Date.now() + 10.5 * DAY_MS }),
    aCluster("eu-central", { kafka_version: null, certificate_until_ms: Date.now() - 1.5 * DAY_MS }),
    aCluster("plain", {}),
  ];
  answerWith(list(items));
  await renderAt("/clusters");

  const row = async (alias: string) => (await screen.findByRole("link", { name: alias })).closest("tr");
  expect((await row("us-east"))?.textContent).toContain("4.110 days left");
  expect((await row("eu-central"))?.textContent).toContain("not known yetExpired 2 days ago");
  expect((await row("plain"))?.textContent).toContain("none presented");
});

test("the last check of a cluster has its age, and an old one is not the state of now", async () => {
  const items = [
    aCluster("fresh", { checked_ms: Date.now() - 20_000 }),
    aCluster("old", { checked_ms: Date.now() - 180_000, reachable: null }),
    aCluster("gone", { checked_ms: Date.now() - 20_000, reachable: false, error: "No answer to TCP" }),
  ];
  answerWith(list(items));
  await renderAt("/clusters");

  const badge = async (alias: string) =>
    (await screen.findByRole("link", { name: alias })).closest("tr")?.querySelector<HTMLElement>(".badge");
  const shown = async (alias: string) => {
    const found = await badge(alias);
    return [found?.dataset.tone, found?.textContent?.replace(/\d+(?=\ss)/, "N")];
  };
  expect(await shown("fresh")).toEqual(["ok", "Reachable, N\u00a0s\u00a0ago"]);
  expect(await shown("old")).toEqual(["idle", "Last checked 3\u00a0min\u00a0ago"]);
  expect(await shown("gone")).toEqual(["bad", "Unreachable, N\u00a0s\u00a0ago"]);
  expect(screen.getByText("No answer to TCP")).toBeTruthy();
});

test("a check is overdue only if the page has waited for it", async () => {
  const begun_ms = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => begun_ms);
  answerWith(list([aCluster("old", { checked_ms: begun_ms - 180_000 })]));
  await renderAt("/clusters");

  await screen.findByText("It is being checked again.");
  expect(screen.queryByText(/^The check is overdue/)).toBeNull();
  clock.mockImplementation(() => begun_ms + 60_000);
  await screen.findByText(/^The check is overdue/, undefined, { timeout: 5_000 });
  clock.mockRestore();
});

test.each(["/clusters/new", "/clusters/us-east/edit"])("%s has its form for admins only", async (address) => {
  const stored = { "/clusters/us-east": { status: 200, body: aCluster("us-east", {}) } };
  answerWith(stored);
  await renderAt(address);
  expect(await screen.findByText("Your role may not change clusters")).toBeTruthy();
  expect(screen.queryByRole("form")).toBeNull();
  cleanup();
  const admin = { username: "ada", role: "admin", permissions: ["clusters.change"] };
  answerWith({ ...stored, "/me": { status: 200, body: admin } });
  await renderAt(address);
  expect(await screen.findByRole("form")).toBeTruthy();
  expect(screen.queryByText("Your role may not change clusters")).toBeNull();
});

test("a connection test lists the brokers of the cluster", async () => {
  const cluster = {
    ...{
      alias: "us-east",
      bootstrap: ["b1:9092"],
      client: {},
      secret_names: [],
      location: "",
      problem: "",
      warning: "",
    },
    ...{ labels: {}, owner: "", criticality: "normal", runbook: "", reachable: true, error: null },
    ...{ cluster_id: "c", brokers: 2, kafka_version: "4.1", certificate_until_ms: null, checked_ms: 1 },
  };
  const common = {
    ok: true,
    kafka_version: null,
    ip_addresses: [],
    steps: [],
    certificate: null,
    rights: [],
  };
  const brokers = [
    { ...common, address: "b1:9092", origin: "bootstrap" },
    { ...common, address: "n1:9092", origin: "metadata" },
    { ...common, address: "n2:9092", origin: "metadata" },
  ];
  const report = {
    ok: true,
    took_ms: 5,
    error: "",
    problem: "",
    warning: "",
    cluster_id: "c",
    untested: 0,
    brokers,
  };
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    "/clusters/us-east": { status: 200, body: cluster },
    "/clusters/us-east/test": { status: 200, body: report },
  });
  await renderAt("/clusters/us-east");
  await userEvent.click(await screen.findByRole("button", { name: "Test the connection" }));
  const isNote = (_: string, node: Element | null) => node?.className === "fact-note";
  expect((await screen.findByText(isNote)).textContent).toBe("n1:9092, n2:9092");
  expect(screen.getByText("3 brokers answered in less than 1 s")).toBeTruthy();
});

test("a cluster that flows use cannot be deleted, and the flows are named", async () => {
  const stored = { "/clusters/us-east": { status: 200, body: aCluster("us-east", {}) } };
  const admin = { username: "ada", role: "admin", permissions: ["clusters.change"] };
  const open = async (items: readonly object[]) => {
    const body = { items, next_cursor: null, as_of_ms: 1, partial: [] };
    answerWith({
      ...stored,
      "/me": { status: 200, body: admin },
      "/replications": { status: 200, body },
    });
    await renderAt("/clusters/us-east");
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await userEvent.type(screen.getByLabelText("Type us-east to confirm"), "us-east");
    return screen.getByRole<HTMLButtonElement>("button", { name: "Delete us-east" });
  };
  expect((await open([])).disabled).toBe(false);
  cleanup();
  const NO_VALUE = { latest: null, p95: null };
  const metrics = {
    ...{ bytes_per_second: NO_VALUE, heartbeat_age_ms: NO_VALUE },
    ...{ lag_offsets: NO_VALUE, replication_latency_ms: NO_VALUE },
  };
  const flow = { source: "us-east", target: "eu", status: "healthy", topics: 1, metrics };
  const confirm = await open([flow]);
  await screen.findByText(/us-east → eu.*delete them first/);
  expect(confirm.disabled).toBe(true);
});

test("a link to another page keeps the range of the page", async () => {
  answerWith(list([aCluster("us-east", {})]));
  await renderAt("/clusters?from=1700000000000&to=1700000600000");
  const link = await screen.findByRole("link", { name: "us-east" });

  expect(link.getAttribute("href")).toBe("/clusters/us-east?from=1700000000000&to=1700000600000");
});

test("a cluster page does not say that heartbeats are missing when they could not be read", async () => {
  answerWith({
    "/clusters/us-east": { status: 200, body: aCluster("us-east", {}) },
    "/clusters/discovered": { status: 503, body: { title: "No", detail: "no heartbeats today" } },
  });
  await renderAt("/clusters/us-east");

  expect(await screen.findByText("no heartbeats today")).toBeTruthy();
  expect(screen.queryByText(/no heartbeat came/)).toBeNull();
});

test("the facts of a cluster have their definitions a press away", async () => {
  const user = userEvent.setup();
  answerWith({ "/clusters/us-east": { status: 200, body: aCluster("us-east", {}) } });
  await renderAt("/clusters/us-east");

  await user.click(await screen.findByRole("button", { name: "Definition of Kafka" }));
  expect(await screen.findByText(/^The oldest release among the bootstrap brokers/)).toBeTruthy();
  for (const name of ["Brokers", "Certificate", "Location", "Cluster id", "Checked", "Criticality"]) {
    expect(screen.getByRole("button", { name: `Definition of ${name}` })).toBeTruthy();
  }
});
