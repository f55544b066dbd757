import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerWith, renderAt } from "@/test/render";

test("a flow that does not exist is told before any of its parts is asked for", async () => {
  const path = "/api/v2/replications/a/b";
  answerWith({ [path]: { status: 404, body: { status: 404, detail: "no flow" } } });
  const answer = globalThis.fetch;
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(path)) asked.push(pathname);
    return answer(request);
  });
  await renderAt("/replications/a/b");

  await screen.findByText("Replication flow not found");
  expect(new Set(asked)).toEqual(new Set([path]));
});
