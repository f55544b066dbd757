import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { clustersQuery, driversQuery, remoteServicesQuery } from "@/api/queries";
import { keepRequests } from "@/test/requests";

const client = () => new QueryClient();

test.each([
  ["clusters", () => client().fetchQuery(clustersQuery)],
  ["drivers", () => client().fetchQuery(driversQuery)],
  ["remote services", () => client().fetchQuery(remoteServicesQuery)],
])("the list of %s is read to its end", async (_, read) => {
  keepRequests(({ query = "" }) => {
    const rest = { as_of_ms: 1, partial: [] };
    if (query.includes("cursor=c")) return Response.json({ ...rest, items: [2], next_cursor: null });
    return Response.json({ ...rest, items: [1], next_cursor: "c" });
  });
  expect((await read()).items).toEqual([1, 2]);
});
