import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { aDriver } from "@/test/drivers";
import { answerWith, renderAt } from "@/test/render";

const PERMISSIONS = { username: "bo", role: "operator", permissions: ["drivers.act"] };
const list = (items: readonly object[]) => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: Date.now(), partial: [] },
});
const aProcess = (id: string, parent: string) => aDriver({ id, parent });
const aTask = (source: string, driver: string, change: object = {}) => ({
  ...{ task: `${source}/source/0`, kind: "source", source, target: "west", driver, state: "running" },
  ...{ since_ms: 1, moved: null, cause: null, last_error: null, partitions: 3, bytes_per_second: 1 },
  ...{ lag_offsets: 0, ...change },
});
const moved = (from_driver: string) => ({
  moved: { at_ms: Date.now() - 1_000, reason: "drained", text: `${from_driver} is drained.`, from_driver },
});
const last_error = { code: "x", text: "The target is full.", topic: null, partition: null, since_ms: 5 };

function answers(): void {
  const tasks = [
    aTask("east", "berlin-1", moved("paris")),
    aTask("north", "berlin-2", { last_error }),
    aTask("south", "paris", moved("berlin-1")),
    aTask("asia", "paris", moved("rome")),
  ];
  answerWith({
    "/me": { status: 200, body: PERMISSIONS },
    "/drivers": list([
      aProcess("berlin-1", "berlin"),
      aProcess("berlin-2", "berlin"),
      aProcess("paris", "paris"),
    ]),
    "/drivers/gone": list([]),
    "/tasks": list(tasks),
  });
}

test("a driver has its processes, tasks, errors, moves from and to it, and orders", async () => {
  answers();
  await renderAt("/drivers/berlin");

  await screen.findByRole("heading", { name: "berlin" });
  const rows = async (label: string) =>
    within(await screen.findByRole("region", { name: label }))
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.textContent ?? "");
  expect(await rows("Table of processes")).toHaveLength(2);
  const tasks = await rows("Table of tasks of berlin");
  expect(tasks.map((text) => text.slice(0, 4))).toEqual(["east", "nort"]);
  expect((await rows("Table of errors"))[0]).toContain("The target is full.");
  expect(await rows("Table of moves")).toHaveLength(2);
  screen.getByRole("button", { name: "Drain berlin" });
  screen.getByRole("button", { name: "Restart berlin" });
  within(screen.getByRole("navigation", { name: "Breadcrumbs" })).getByRole("link", { name: "Drivers" });
});

test("a name that no process reports is told, and has no orders", async () => {
  answers();
  await renderAt("/drivers/rome");

  const title = await screen.findByText("No process of rome reports");
  const note = within(title.parentElement as HTMLElement);
  expect(note.getByText(/A driver that stopped is listed as gone/)).toBeTruthy();
  expect(note.getByRole("link", { name: "Drivers" }).getAttribute("href")).toContain("/drivers");
  expect(screen.queryByText(/have taken its tasks/)).toBeNull();
  expect(screen.queryByRole("button", { name: /^Drain/ })).toBeNull();
});

test("the list of drivers leads to the page of each", async () => {
  answers();
  await renderAt("/drivers");

  const link = await screen.findByRole("link", { name: "berlin-2" });
  expect(link.getAttribute("href")).toContain("/drivers/berlin");
});
