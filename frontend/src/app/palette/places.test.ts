import { describe, expect, test } from "vitest";
import type { SearchHit } from "@/api/types";
import { searchedText } from "@/app/palette/actions";
import { findPlaces } from "@/app/palette/places";
import { shortcutOf } from "@/app/palette/shortcuts";
import { titleOf } from "@/lib/title";
import { aFlow } from "@/test/builders";

const FLOWS = [aFlow(), aFlow({ source: "eu-central", target: "analytics", status: "failed" })];
const NONE = {
  rank: 0,
  text: null,
  source: null,
  target: null,
  topic: null,
  remote_topic: null,
  group: null,
};
const FLOW = { source: "us-east", target: "eu-central" };
const hit = (change: Partial<SearchHit>): SearchHit =>
  ({ kind: "topic", label: "", is_planned: true, ...NONE, ...change }) as SearchHit;
const TOPIC = hit({ ...FLOW, label: "orders", topic: "orders", remote_topic: "us-east.orders" });

const labels = (typed: string) => findPlaces(typed, FLOWS, []).map((place) => place.label);

describe("the palette", () => {
  test("shows the most urgent flow first, then pages and actions, before anything is typed", () => {
    expect(labels("").slice(0, 3)).toEqual([
      "eu-central → analytics",
      "us-east → eu-central",
      "Replications",
    ]);
  });

  test("finds a flow by both ends, with an arrow or without", () => {
    expect(labels("central → ana")).toEqual(["eu-central → analytics"]);
    expect(labels("east central")[0]).toBe("us-east → eu-central");
  });

  test("finds clusters and pages by name", () => {
    expect(labels("analytics")).toContain("analytics");
    expect(labels("driv")).toEqual(["Drivers"]);
    expect(labels("no such thing")).toEqual([]);
  });

  test("names a topic on both sides and leads to its page", () => {
    const [place] = findPlaces("orders", FLOWS, [TOPIC]);
    expect(place?.label).toBe("orders → us-east.orders");
    expect(place?.target).toEqual({
      to: "/replications/$source/$target/topics/$topic",
      source: "us-east",
      target: "eu-central",
      topic: "orders",
    });
  });

  test("names a topic once that has the same name on both sides", () => {
    expect(findPlaces("orders", [], [{ ...TOPIC, remote_topic: "orders" }])[0]?.label).toBe("orders");
  });
});

test("finds groups, keys and clusters without a flow, and names a cluster once", () => {
  const hits = [
    hit({ kind: "flow", ...FLOW, label: "us-east->eu-central" }),
    hit({ kind: "property", label: "tasks.max", text: "set in 2 places" }),
    hit({ kind: "cluster", label: "us-east" }),
    hit({ kind: "cluster", label: "us-lonely" }),
    hit({ kind: "group", ...FLOW, label: "billing", group: "billing" }),
  ];
  const found = findPlaces("us", FLOWS, hits).map(({ group, label }) => [group, label]);
  expect(found).toEqual([
    ["Flows", "us-east → eu-central"],
    ["Groups", "billing"],
    ["Clusters", "us-east"],
    ["Clusters", "us-lonely"],
    ["Pages", "Clusters"],
    ["Actions", "Pause or resume live updates"],
    ["Keys", "tasks.max"],
  ]);
});

test("actions rank before keys, whose description is one plain line", () => {
  const key = hit({
    kind: "property",
    label: "srm.audit.schedule",
    text: "when audits run ([audit](audit.md))",
  });
  const found = findPlaces("audit analytics", FLOWS, [key], undefined, ["flows.act"]);
  expect(found.map(({ group, note }) => [group, note])).toEqual([
    ["Actions", "Says first what it reads"],
    ["Keys", "when audits run (audit)"],
  ]);
});

describe("shortcuts", () => {
  test("of two keys need both within a second", () => {
    const g = { key: "g", time_ms: 0 };
    expect(shortcutOf({ key: "c", time_ms: 900 }, g)).toBe("/clusters");
    expect(shortcutOf({ key: "c", time_ms: 1_100 }, g)).toBeNull();
    expect(shortcutOf({ key: "c", time_ms: 900 }, null)).toBeNull();
  });

  test("of one key work after any other key", () => {
    expect(shortcutOf({ key: "/", time_ms: 10 }, { key: "x", time_ms: 0 })).toBe("palette");
    expect(shortcutOf({ key: "?", time_ms: 10 }, null)).toBe("help");
  });
});

test("the title of the tab counts unhealthy flows, and has no zero", () => {
  expect(titleOf("Clusters", 2)).toBe("(2) Clusters · Streams Replication Manager");
  expect(titleOf("Clusters", 0)).toBe("Clusters · Streams Replication Manager");
});

test("pinned flows are first, then recent ones, then the urgent; each is named once", () => {
  const other = aFlow({ source: "us-west", target: "eu-central" });
  const own = {
    pinned: ["us-west->eu-central", "gone->gone"],
    recent: ["us-west->eu-central", "us-east->eu-central"],
  };

  const found = findPlaces("", [...FLOWS, other], [], own).slice(0, 3);

  expect(found.map(({ group, label }) => [group, label])).toEqual([
    ["Pinned", "us-west → eu-central"],
    ["Recent", "us-east → eu-central"],
    ["Flows", "eu-central → analytics"],
  ]);
});

test("actions are offered to those who have the permission", () => {
  const labelsFor = (typed: string, permissions: readonly string[]) =>
    findPlaces(typed, FLOWS, [], undefined, permissions).map(({ label }) => label);
  expect(labelsFor("new repl", [])).toEqual([]);
  expect(labelsFor("new repl", ["flows.change"])).toEqual(["New replication"]);
  expect(labelsFor("add a cluster", ["clusters.change"])).toEqual(["Add a cluster"]);
  expect(labelsFor("pause analytics", [])).toEqual([]);
  expect(labelsFor("pause analytics", ["flows.act"])).toEqual(["Pause eu-central → analytics…"]);
  const [place] = findPlaces("pause analytics", FLOWS, [], undefined, ["flows.act"]);
  expect(place?.target).toEqual({ to: "order", source: "eu-central", target: "analytics", kind: "pause" });
  expect(labelsFor("audit analytics", [])).toEqual([]);
  expect(labelsFor("audit analytics", ["flows.act"])).toEqual(["Audit eu-central → analytics…"]);
  expect(labels("history")).toEqual(["History of the configuration"]);
});

test("every order of a flow is found by its word, as its status allows", () => {
  const of = (typed: string, status: "healthy" | "paused" | "disabled") =>
    findPlaces(typed, [aFlow({ status })], [], undefined, ["flows.act"])
      .filter(({ group }) => group === "Actions")
      .map(({ target }) => (target.to === "order" ? target.kind : target.to));
  expect(of("stop us-east", "healthy")).toEqual(["stop"]);
  expect(of("start us-east", "paused")).toEqual(["start", "restart"]);
  expect(of("start us-east", "healthy")).toEqual(["restart"]);
  expect(of("reset us-east", "healthy")).toEqual(["reset"]);
  expect(of("disable us-east", "healthy")).toEqual(["disable"]);
  expect(of("enable us-east", "disabled")).toEqual(["enable"]);
  expect(of("delete us-east", "disabled")).toEqual(["delete"]);
  expect(of("us-east", "healthy")).toEqual(["pause", "restart", "throttle", "audit"]);
});

test("drivers and the settings have pages that are found by name", () => {
  const drivers = ["berlin", "berlin", "paris"].map((parent) => ({ parent, drain: false }));
  const places = (typed: string) =>
    findPlaces(typed, FLOWS, [], undefined, [], drivers).map(({ target }) => target);

  expect(places("berlin")).toEqual([{ to: "/drivers/$id", id: "berlin" }]);
  expect(places("settings")).toEqual([{ to: "/settings" }]);
});

test("a topic is paused or reset, and a driver drained or restarted, by those who may", () => {
  const drivers = [
    { parent: "berlin", drain: false },
    { parent: "paris", drain: true },
  ];
  const targets = (typed: string, permissions: readonly string[]) =>
    findPlaces(typed, FLOWS, [TOPIC], undefined, permissions, drivers)
      .filter(({ group }) => group === "Actions")
      .map(({ target }) => target);
  const order = { to: "order", ...FLOW, topic: "orders" };
  expect(targets("pause orders", ["flows.act"])).toEqual([{ ...order, kind: "pause" }]);
  expect(targets("orders", ["flows.act"])).toEqual([
    { ...order, kind: "pause" },
    { ...order, kind: "reset" },
  ]);
  expect(targets("drain berlin", ["drivers.act"])).toEqual([
    { to: "driver", driver: "berlin", order: "drain" },
  ]);
  expect(targets("paris", ["drivers.act"])).toEqual([
    { to: "driver", driver: "paris", order: "undrain" },
    { to: "driver", driver: "paris", order: "restart" },
  ]);
  expect([targets("pause orders", []), targets("drain berlin", ["flows.act"])]).toEqual([[], []]);
});

test("actions whose verb is typed first come first, for the flows, topics and drivers with the other words", () => {
  const flows = [...FLOWS, aFlow({ source: "us-west", target: "analytics" })];
  const pauses = hit({ ...FLOW, label: "users", topic: "users", remote_topic: "us-east.users" });
  const found = (typed: string, hits: SearchHit[] = []) =>
    findPlaces(
      typed,
      flows,
      hits,
      undefined,
      ["flows.act", "drivers.act"],
      [{ parent: "us-1", drain: false }],
    )
      .slice(0, 4)
      .map(({ label }) => label);
  expect(found("pause us", [pauses])).toEqual([
    "Pause us-east → eu-central…",
    "Pause us-west → analytics…",
    "Pause users…",
    "Pause or resume live updates",
  ]);
  expect(found("drain us")[0]).toBe("Drain us-1…");
  expect(found("us")[0]).toBe("us-east → eu-central");
});

test("the verb of an action offers it for more flows than a name alone", () => {
  const flows = ["a", "b", "c", "d", "e"].map((name) => aFlow({ source: `us-${name}` }));
  const count = (typed: string) =>
    findPlaces(typed, flows, [], undefined, ["flows.act"]).filter(({ label }) => label.startsWith("Pause us"))
      .length;
  expect([count("pause us"), count("us")]).toEqual([5, 3]);
});

test("a topic that is not copied leads to it in the list of topics, and is named once", () => {
  const denied = { ...FLOW, topic: "orders.raw", state: "denied" as const };
  const departed = { ...FLOW, topic: "orders", state: "departed" as const };
  const found = findPlaces("orders", [], [TOPIC], undefined, [], [], [departed, denied]);
  expect(found.map(({ group, label, note }) => [group, label, note])).toEqual([
    ["Topics", "orders → us-east.orders", "us-east → eu-central"],
    ["Topics", "orders.raw", "Denied: us-east → eu-central"],
  ]);
  expect(found[1]?.target).toEqual({ to: "/replications/$source/$target", ...denied });
});

test("the service searches the name after the word of an order", () => {
  expect(["pause orders", "Reset billing", "orders", "pause", "pause o"].map(searchedText)).toEqual([
    "orders",
    "billing",
    "orders",
    "pause",
    "pause o",
  ]);
});

test("the search offers no order for a flow of another service", () => {
  const there = aFlow({ service: "https://eu:6670" });
  const found = findPlaces("pause eu-central", [there], [], undefined, ["flows.act"]);
  expect(found.filter(({ group }) => group === "Actions")).toEqual([]);
});
