import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

test("a flow that does not exist is told before any of its parts is asked for", async () => {
  const path = "/replications/a/b";
  answerWith({ [path]: { status: 404, body: { status: 404, detail: "no flow" } } });
  const { reads } = keepRequests();
  await renderAt(path);

  await screen.findByText("Replication flow not found");
  const asked = reads.map((read) => read.path).filter((each) => each.startsWith(path));
  expect(new Set(asked)).toEqual(new Set([path]));
});
