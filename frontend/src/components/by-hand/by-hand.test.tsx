import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { wholeList } from "@/api/whole-list";
import {
  sameApply,
  sameAudit,
  sameAuditCancel,
  sameCluster,
  sameClusterDelete,
  sameClusterTest,
  sameConfigsAgain,
  sameDescription,
  sameDiscard,
  sameDrain,
  sameImport,
  sameNewAudit,
  sameProperty,
  sameRestart,
  sameRevert,
  sameSync,
  sameUndrain,
  sameView,
  sameViewChange,
  sameViewDelete,
} from "@/components/by-hand/actions";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { ListCommands } from "@/components/by-hand/ListCommands";
import {
  FLEET_LISTS,
  FLOW_LISTS,
  filesOf,
  type ListPlace,
  PART_LISTS,
  sameList,
  samePlans,
} from "@/components/by-hand/lists";
import { sameWithdrawal } from "@/features/orders/commands";
import { objectsAsCsv } from "@/lib/files/csv";
import { renderPart } from "@/test/render";
import { keepRequests } from "@/test/requests";
import openapi from "../../../openapi.json";

const FLOW = { source: "us-east", target: "eu-central" };
const AT = `${window.location.origin}/api/v2`;

test("the command and the request of a list are shown to copy", async () => {
  renderPart(<ListCommands list="groups" flow={FLOW} />);
  await userEvent.click(screen.getByRole("button", { name: "Command and request of the groups" }));
  expect((await screen.findByRole("region", { name: "Command of srm-control" })).textContent).toBe(
    "srm-control groups status 'us-east->eu-central'",
  );
  expect(screen.getByRole("region", { name: "REST request" }).textContent).toBe(
    `curl '${AT}/replications/us-east/eu-central/groups' -H "Authorization: Bearer $SRM_TOKEN"`,
  );
  expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(2);
  expect(screen.getByRole("link", { name: "Download CSV" }).getAttribute("href")).toBe(
    "/api/v2/replications/us-east/eu-central/groups?format=csv",
  );
});

test("a list that no command prints is read by its path", () => {
  expect(sameList({ list: "tasks", flow: FLOW }).command).toBe(
    "srm-control get 'tasks?source=us-east&target=eu-central'",
  );
  expect(sameList({ list: "stops", flow: FLOW }).command).toBe(
    "srm-control get replications/us-east/eu-central/stops",
  );
  expect(sameList({ list: "pauses", flow: FLOW }).command).toBe(
    "srm-control topics holds 'us-east->eu-central'",
  );
  expect(sameList({ list: "events", flow: FLOW }).command).toBe(
    "srm-control events --source us-east --target eu-central",
  );
  expect(sameList({ list: "flows", side: "target", alias: "eu-central" })).toEqual({
    command: "srm-control flows list --target eu-central",
    request: `curl '${AT}/replications?target=eu-central' -H "Authorization: Bearer $SRM_TOKEN"`,
  });
});

test("a list with filters is read by its path, and its files have the same filters", () => {
  const place = { list: "events", flow: FLOW, filters: { topic: "a b", state: undefined } } as const;
  const query = "source=us-east&target=eu-central&topic=a+b";
  expect(sameList(place).command).toBe(`srm-control get 'events?${query}'`);
  expect(sameList(place).request).toContain(`/api/v2/events?${query}'`);
  expect(filesOf(place).csv).toBe(`/api/v2/events?${query}&format=csv`);
  const states = { list: "topic states", flow: FLOW, filters: { state: "denied" } } as const;
  expect(filesOf(states).csv).toBeNull();
  expect(filesOf(states).pages).toMatch(/topic-states\?state=denied$/);
});

test("the service has each list, and makes a file of those that the page does not make", () => {
  const paths = openapi.paths as Record<string, { get?: { parameters?: { name: string }[] } }>;
  const templates = Object.keys(paths).sort((a, b) => a.split("{").length - b.split("{").length);
  const templateOf = (address: string): string =>
    templates.find((path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(address)) ?? "";
  const flow = { source: "us", target: "eu" };
  const calls: { path: string; pagedBy?: string | null; most?: number }[] = [
    ...Object.values(FLEET_LISTS),
    ...Object.values(FLOW_LISTS).map((call) => call(flow)),
    ...Object.values(PART_LISTS).map((call) => call(flow, "7")),
  ];
  for (const { path, pagedBy, most } of calls) {
    const address = `/api/v2/${path.split("?", 1)[0]}`;
    const names = paths[templateOf(address)]?.get?.parameters?.map(({ name }) => name);
    expect([address, names?.includes("format")]).toEqual([address, pagedBy === undefined]);
    const hasLimit = pagedBy !== null || most !== undefined;
    expect([address, names?.includes("limit")]).toEqual([address, hasLimit]);
  }
});

test("the whole list is read page by page", async () => {
  const { reads } = keepRequests(({ query = "" }) =>
    Response.json(
      query.includes("cursor=") ? { items: [3], next_cursor: null } : { items: [1, 2], next_cursor: "c" },
    ),
  );
  expect(await wholeList("/api/v2/gaps?topic=a&format=json", "items")).toEqual([1, 2, 3]);
  expect(reads.map(({ query }) => query)).toEqual([
    "?topic=a&format=json&limit=200",
    "?topic=a&format=json&limit=200&cursor=c",
  ]);
  keepRequests(() => Response.json({ detail: "no right" }, { status: 403 }));
  await expect(wholeList("/api/v2/gaps", "items")).rejects.toThrow("no right");
});

test("a list without pages is asked for as it is, with a limit only where it takes one", async () => {
  const { reads } = keepRequests(() => Response.json({ differences: [1], partitions: [2], items: [3] }));
  const read = (place: ListPlace) => {
    const { pages, rows, paging } = filesOf(place);
    return wholeList(pages, rows, paging);
  };
  const filters = { from: "1", to: "2" };

  expect(await read({ list: "differences", filters })).toEqual([1]);
  expect(await read({ list: "partitions of the group", flow: FLOW, part: "billing" })).toEqual([2]);
  expect(await read({ list: "configs", flow: FLOW, filters: { topic: "a" } })).toEqual([3]);
  const flow = "/replications/us-east/eu-central";
  expect(reads.map(({ path, query = "" }) => path + query)).toEqual([
    "/config/diff?from=1&to=2",
    `${flow}/groups/billing/partitions`,
    `${flow}/drift?topic=a&limit=1000`,
  ]);
});

test("a list that is continued after a name is read page by page, and the page makes its table", async () => {
  const { reads } = keepRequests(({ query = "" }) =>
    Response.json({
      items: [{ topic: "a", reason: "=1" }],
      next_after: query.includes("after=") ? null : "a",
    }),
  );
  const rows = await wholeList("/api/v2/topic-states?state=denied", "items", {
    pagedBy: "after",
    limit: 200,
  });

  expect(reads.map(({ query }) => query)).toEqual([
    "?state=denied&limit=200",
    "?state=denied&limit=200&after=a",
  ]);
  expect(objectsAsCsv(rows)).toBe("topic,reason\r\na,'=1\r\na,'=1\r\n");
});

test("actions without a form of an order have their command too", () => {
  expect(sameAudit(FLOW).command).toBe("srm audit 'us-east->eu-central'");
  expect(sameSync(FLOW, [], "").command).toBe("srm-control groups sync 'us-east->eu-central' --all");
  expect(sameSync(FLOW, ["a", "b"], "move").command).toContain("--group 'a,b' --reason move");
  expect(sameDrain("berlin-1", "new disks", "8h", 7).command).toBe(
    "srm-control drivers drain berlin-1 --reason 'new disks' --expires 8h",
  );
  expect(sameRestart("berlin-1", "", 30_000).command).toBe(
    "srm-control drivers restart berlin-1 --grace 30s",
  );
  expect(sameUndrain("berlin-1", "done").command).toBe("srm-control drivers undrain berlin-1 --reason done");
  expect(sameAuditCancel(FLOW, 7)).toEqual({
    command: "srm audit 'us-east->eu-central' --cancel 7",
    request: `curl -X DELETE ${AT}/replications/us-east/eu-central/audits/7 -H "Authorization: Bearer $SRM_TOKEN"`,
  });
  expect(sameClusterDelete("us-east").command).toBe("srm-control clusters delete us-east");
  const changes = [
    { key: "tasks.max", value: "4" },
    { key: "topics", value: null },
  ];
  expect(sameApply(7, changes, "load").command).toBe(
    "srm-control config set tasks.max=4 --comment load\nsrm-control config unset topics --comment load",
  );
});

test("a revert, an import, a property and an audit of new records have their command", () => {
  expect(sameNewAudit(FLOW).command).toBe("srm audit 'us-east->eu-central' --incremental");
  expect(sameRevert(7, "wrong rate").command).toBe("srm-control config revert 7 --comment 'wrong rate'");
  expect(sameImport("mm2.properties", "mm2", true, "").command).toBe(
    "srm-control config import --file mm2.properties --format mm2 --replace",
  );
  expect(sameProperty("tasks.max", "4", "").command).toBe("srm-control config set tasks.max=4");
});

test("secrets of a cluster are only named", () => {
  const body = {
    bootstrap: ["us:9092"],
    client: { "client.rack": null, "security.protocol": "SSL" },
    secrets: { "ssl.keystore.key": "private" },
    comment: "",
  };
  const { command, request } = sameCluster("us-east", body, false);
  expect(command).toBe(
    "srm-control clusters change us-east --bootstrap-servers us:9092 --client security.protocol=SSL " +
      "--secret-file ssl.keystore.key=PATH --unset client.rack",
  );
  expect(request).toContain(`curl -X PATCH ${AT}/clusters/us-east`);
  expect(command + request).not.toContain("private");
});

test("a description is changed field by field, and an empty one is cleared", () => {
  const change = { labels: { team: "payments" }, owner: "", criticality: "high" } as const;
  const { command, request } = sameDescription(FLOW, change, "moved");
  expect(command).toBe(
    "srm-control flows change 'us-east->eu-central' --label team=payments --criticality high --owner ''",
  );
  expect(request).toContain('"owner":"","criticality":"high","comment":"moved"}');
  expect(sameDescription(FLOW, { labels: {} }, "").command).toBeNull();
});

test("what srm-control has no command for is shown as a request only", async () => {
  const same = sameConfigsAgain(FLOW, "orders", ["retention.ms"]);
  expect(same.command).toBeNull();
  expect(same.request).toContain('{"topics":["orders"],"keys":["retention.ms"]}');
  const view = { name: "late", page: "overview", query: "sort=-lag", is_default: false } as const;
  expect(sameView(view).request).toContain(`curl -X POST ${AT}/me/views`);
  renderPart(<CallsToCopy same={same} />);
  expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(1);
});

test("the withdrawal of a reset is a request with its reason", () => {
  expect(sameWithdrawal(FLOW, "r1", "wrong topic")).toEqual({
    command: null,
    request: `curl -X DELETE '${AT}/replications/us-east/eu-central/resets/r1?reason=wrong+topic' -H "Authorization: Bearer $SRM_TOKEN"`,
  });
});

test("the partitions of a group, the differences of versions and the plans of flows have their command", () => {
  expect(sameList({ list: "partitions of the group", flow: FLOW, part: "billing" }).command).toBe(
    "srm-control groups status 'us-east->eu-central' --group billing --partitions",
  );
  const versions = { list: "differences", filters: { from: "1", to: "2" } } as const;
  expect(sameList(versions).command).toBe("srm-control get 'config/diff?from=1&to=2'");
  expect(samePlans([FLOW, { source: "a", target: "b" }]).command).toBe(
    "srm-control get replications/us-east/eu-central/plan\nsrm-control get replications/a/b/plan",
  );
});

test("a test of a cluster, a removal, a discarded draft and a changed view have their command or request", () => {
  expect(sameClusterTest("us-east").command).toBe("srm-control clusters test us-east");
  expect(sameProperty("topics", null, "").command).toBe("srm-control config unset topics");
  expect(sameProperty("topics", null, "").request).toContain('"value":null');
  expect(sameDiscard(7).request).toContain(`curl -X DELETE ${AT}/config/drafts/7`);
  expect(sameViewChange(3, { name: "late" }).request).toContain(`curl -X PATCH ${AT}/me/views/3`);
  expect(sameViewDelete(3).request).toContain(`curl -X DELETE ${AT}/me/views/3`);
});
