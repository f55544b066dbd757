import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RemoteService } from "@/api/types";
import { stateOf } from "@/features/services/state";
import { answerWith, renderAt } from "@/test/render";

const aService = (change: Partial<RemoteService> = {}): RemoteService => ({
  id: "a.1",
  address: "https://srm.eu.example:6670",
  cluster: "ap-south",
  targets: ["ap-south"],
  state: "live",
  age_ms: 4_000,
  interval_ms: 10_000,
  started_ms: 1,
  version: "0.1.0",
  is_other_version: false,
  use: "asked",
  is_first: true,
  problem: null,
  clock_difference_ms: 20,
  asked_ms: 1,
  answered_ms: 1,
  round_trip_ms: 12,
  requests: 7,
  received_bytes: 2_048,
  ...change,
});

const OWN = {
  id: "b.1",
  address: "https://here.example:443",
  targets: [],
  version: "0.1.0",
  interval_ms: 10_000,
};
const CLUSTER = {
  alias: "ap-south",
  is_target: false,
  is_remote_target: true,
  sent_ms: null,
  send_error: null,
  read_ms: 1,
  read_error: null,
  refused: {},
};

function answered(items: RemoteService[], clusters: object[] = [CLUSTER]) {
  const body = { items, next_cursor: null, as_of_ms: 1, partial: [], own: OWN, clusters };
  answerWith({ "/remote-services": { status: 200, body } });
}

test("a service has its address, age, version, clock, bytes and problem", async () => {
  const problem = "It does not answer within 1000 ms.";
  answered([aService({ problem, is_other_version: true, version: "0.0.9", clock_difference_ms: 3_600_000 })]);
  await renderAt("/services");

  const row = await screen.findByRole("row", { name: /srm\.eu\.example/ });
  for (const text of [
    "No answer",
    problem,
    "0.0.9, differs",
    "4\u00a0s\u00a0ago",
    "1\u00a0h ahead",
    "2.05kB",
  ])
    expect(row.textContent).toContain(text);
});

test("an advertisement that cannot be read is named with its reason", async () => {
  answered([aService()], [{ ...CLUSTER, read_error: "ap-south refuses", refused: { "e.1": "is not JSON" } }]);
  await renderAt("/services");

  expect(await screen.findByText("ap-south refuses; e.1: is not JSON")).toBeTruthy();
  expect(screen.getByText(/This service advertises https:\/\/here\.example/)).toBeTruthy();
});

test("without a remote target the page says which key names one", async () => {
  answered([], []);
  await renderAt("/services");

  expect(await screen.findByText("No remote target")).toBeTruthy();
  expect(screen.getByText(/service\.remote\.target\.cluster/)).toBeTruthy();
});

test.each([
  [{}, "Answers"],
  [{ is_first: false }, "In reserve"],
  [{ state: "stale" }, "Stale"],
  [{ answered_ms: null }, "Not asked yet"],
  [{ problem: "cannot be reached" }, "No answer"],
  [{ use: "no_credential", problem: "there is no token" }, "No token"],
  [{ use: "not_allowed", problem: "x" }, "Not allowed"],
] as const)("%o is %s", (change, word) => {
  expect(stateOf(aService(change)).word).toBe(word);
});
