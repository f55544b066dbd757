import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { InternalTopics } from "@/features/clusters/InternalTopics";
import { renderWithAddress } from "@/test/render";

const WRONG = "has cleanup.policy=delete instead of compact";
const note = (cluster: string | null, topic: string, code = "internal_topic_cleanup_policy") => ({
  code,
  text: `${topic} ${WRONG}.`,
  cluster,
});

/** us-east is the source of a flow and the target of another one. */
function answerWithFlows(flows: readonly { source: string; target: string; warnings: unknown[] }[]): void {
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    const [source, target] = ["source", "target"].map((side) => searchParams.get(side));
    if (pathname.endsWith("/plan"))
      return Response.json(flows.find((flow) => pathname.includes(`/${flow.source}/${flow.target}/`)));
    const items = flows.filter((flow) => flow.source === source || flow.target === target);
    return Response.json({ items, next_cursor: null, as_of_ms: 1, partial: [] });
  });
}

test("a cluster that is only a source names its internal topics with a wrong policy, and no others", async () => {
  const warnings = [
    note("us-east", "mm2-offset-syncs.eu.internal"),
    note("eu", "heartbeats"),
    note("us-east", "other", "topic_refused"),
    note(null, "of an older driver"),
  ];
  answerWithFlows([{ source: "us-east", target: "eu", warnings }]);
  await renderWithAddress(<InternalTopics alias="us-east" />);

  expect(await screen.findByText(/mm2-offset-syncs\.eu\.internal has cleanup\.policy=delete/)).toBeTruthy();
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
});

test("a target names the topics on it, those of a flow out of it are told by the cluster", async () => {
  answerWithFlows([
    { source: "asia", target: "us-east", warnings: [note("us-east", "heartbeats"), note(null, "positions")] },
    { source: "us-east", target: "eu", warnings: [note("eu", "other")] },
  ]);
  await renderWithAddress(<InternalTopics alias="us-east" />);

  expect(await screen.findByText(/^heartbeats/)).toBeTruthy();
  expect(screen.getByText(/^positions/)).toBeTruthy();
  expect(screen.queryByText(/^other/)).toBeNull();
});

test("of many flows the first are checked, which the card says, and the others by a press", async () => {
  const flows = Array.from({ length: 21 }, (_, place) => ({
    source: "us-east",
    target: `eu-${place}`,
    warnings: place === 20 ? [note("us-east", "heartbeats")] : [],
  }));
  answerWithFlows(flows);
  await renderWithAddress(<InternalTopics alias="us-east" />);

  await screen.findByText("No internal topic of these 20 flows has a wrong policy");
  await userEvent.click(screen.getByRole("button", { name: "Check more flows" }));
  expect(await screen.findByText(/^heartbeats/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Check more flows" })).toBeNull();
});
