import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { FindingsTable, useFindingsView } from "@/features/audits/FindingsTable";
import FlowConfiguration from "@/features/configuration/effective/FlowConfiguration";
import { HistoryPage } from "@/features/configuration/history/HistoryPage";
import OrdersCard from "@/features/orders/list/OrdersCard";
import { TasksCard } from "@/features/replication/TasksCard";
import { TopicGroups } from "@/features/replication/topic/TopicGroups";
import { aTask } from "@/test/drivers";
import { renderAlone } from "@/test/render";

const FLOW = { source: "us-east", target: "eu-central" };
const ME = { username: "bo", role: "operator", permissions: ["flows.act"] };
const FINDING = {
  topic: "orders",
  partition: 3,
  kind: "missing",
  source_offset: 41,
  target_offset: null,
  records: 1,
  detail: "",
};
const VALUE = {
  client: "flow",
  name: "topics",
  value: "orders",
  level: "flow",
  key: "us-east->eu-central.topics",
  origin: "",
  note: "",
  beaten: [],
  effect: "full",
  why: "",
  is_secret: false,
};
const TASK = aTask({ task: "us-east/source/0", ...FLOW, driver: "d1", partitions: 4 });

const ORDER = {
  id: 5,
  ...FLOW,
  event: "flow.pause",
  topic: "",
  partition: null,
  task: null,
  reason: "upgrade",
  detail: "",
  until_ms: null,
  ordered_by: "ada",
  ordered_ms: 1,
  revision: 2,
  outcome: "applied",
  state: "applied",
  ended_ms: null,
  refusal: "",
  applied_by: [],
  tasks: [],
};

function Findings() {
  return <FindingsTable flow={FLOW} audit_id={7} records={1} view={useFindingsView(FLOW)} />;
}

const VERSION = {
  number: 4,
  author: "ada",
  at_ms: 1,
  comment: "more tasks",
  request_id: "r1",
  dialect: "srm",
  edits: 2,
};
const GROUP = {
  group: "billing",
  state: "active",
  readiness: "ready",
  causes: [],
};

const LISTS: readonly [string, ReactNode, object, string, string][] = [
  ["findings", <Findings key="findings" />, FINDING, "Detail", "detail"],
  ["effective", <FlowConfiguration key="values" {...FLOW} />, VALUE, "Value in force", "value"],
  ["actions", <OrdersCard key="orders" {...FLOW} />, ORDER, "Reason", "reason"],
  ["groups", <TopicGroups key="groups" {...FLOW} topic="orders" />, GROUP, "Readiness", "readiness"],
  ["tasks", <TasksCard key="tasks" {...FLOW} />, TASK, "In this state", "since_ms"],
];

/** Answers a list that has more pages; returns the orders that were asked for. */
function answerFirstPages(path: string, row: object): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const isList = url.pathname.endsWith(`/${path}`);
    if (isList) asked.push(url.searchParams.get("ordering") ?? "");
    const list = {
      items: isList ? [row] : [],
      next_cursor: isList ? "more" : null,
      as_of_ms: 1,
      partial: [],
    };
    const body = url.pathname.endsWith("/me") ? ME : list;
    return new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } });
  });
  return asked;
}

test("the service orders the versions of the configuration", async () => {
  const asked = answerFirstPages("config/versions", VERSION);
  await renderAlone("/configuration", <HistoryPage />);

  await userEvent.click(await screen.findByRole("button", { name: "Comment" }));
  await waitFor(() => expect(asked.at(-1)).toBe("comment"));
  await userEvent.click(screen.getByRole("button", { name: "Edits" }));
  await waitFor(() => expect(asked.at(-1)).toBe("-edits"));
  expect(screen.getByRole("radio", { name: "Compare to version 4" })).toBeTruthy();
});

test.each(LISTS)(
  "the service orders the %s, of which only the first page is here",
  async (path, part, row, heading, ordering) => {
    const asked = answerFirstPages(path, row);
    await renderAlone("/replications/$source/$target", part, "/replications/us-east/eu-central");

    await userEvent.click(await screen.findByRole("button", { name: heading }));

    await waitFor(() => expect(asked.at(-1)).toBe(ordering));
  },
);
