import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { areShortcutsOn } from "@/app/palette/shortcuts";
import { currentZone, setZone } from "@/lib/time";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

afterEach(() => {
  localStorage.clear();
  setZone("local");
});

const choose = async (name: string | RegExp) => fireEvent.click(await screen.findByRole("radio", { name }));

test("theme, times and shortcuts of this browser are chosen in one place", async () => {
  answerWith({ "/me/preferences": { status: 200, body: { pinned_flows: [], columns: [] } } });
  await renderAt("/settings");

  await choose("Dark");
  expect(document.documentElement.dataset.mantineColorScheme).toBe("dark");
  await choose("UTC");
  expect(currentZone()).toBe("utc");
  await choose(/^Off/);
  expect(areShortcutsOn()).toBe(false);
  await choose("On");
  expect(areShortcutsOn()).toBe(true);
});

test("what the service keeps for a person is shown and taken back", async () => {
  const kept = { pinned_flows: ["a->b"], columns: ["lag"] };
  answerWith({ "/me/preferences": { status: 200, body: kept } });
  const { changes } = keepRequests();
  await renderAt("/settings");

  await screen.findByText("a->b");
  fireEvent.click(screen.getByRole("button", { name: "Unpin all" }));
  await waitFor(() => expect(changes).toHaveLength(1));
  expect(changes[0]).toMatchObject({ method: "PUT", body: { pinned_flows: [], columns: ["lag"] } });
});

test("the page names the release that a report of a problem needs", async () => {
  answerWith({
    "/me/preferences": { status: 200, body: { pinned_flows: [], columns: [] } },
    "/about": { status: 200, body: { version: "2.4.1", python: "3.11.7", database: "PostgreSQL" } },
  });
  await renderAt("/settings");

  expect(
    await screen.findByText("Streams Replication Manager 2.4.1, on Python 3.11.7 and PostgreSQL"),
  ).toBeTruthy();
});
