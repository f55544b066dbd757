import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { TopicGroups } from "@/features/replication/topic/TopicGroups";
import { renderWithAddress } from "@/test/render";

test("the groups of a topic are read page by page", async () => {
  const aGroup = (group: string) => ({ group, readiness: "ready", state: "stable", causes: [] });
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const isFirst = new URL(url).searchParams.get("cursor") === null;
    const items = [aGroup(isFirst ? "billing" : "search")];
    return Response.json({ items, next_cursor: isFirst ? "c" : null, as_of_ms: 1, partial: [] });
  });
  await renderWithAddress(<TopicGroups source="us-east" target="eu-central" topic="orders" />);

  expect(await screen.findByRole("link", { name: "billing" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Show more groups" }));
  expect(await screen.findByRole("link", { name: "search" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Show more groups" })).toBeNull();
});
