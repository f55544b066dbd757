import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { SyncReceipts } from "@/api/types";
import { SyncPanel } from "@/features/groups/SyncPanel";
import { answerWith, renderWithAddress } from "@/test/render";

const DRY_RUN: SyncReceipts = {
  source: "us-east",
  target: "eu-central",
  dry_run: true,
  counts: { written: 2, unchanged: 0, refused: 0, impossible: 0 },
  skipped: [],
  unlooked: [],
  items: [],
};

test("a write that fails is told apart from a failed dry run, and is not repeated unasked", async () => {
  const dryRuns: boolean[] = [];
  answerWith();
  const answering = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input as Request;
    if (!request.url.endsWith("/groups/sync")) return answering(input, init);
    const { dry_run } = (await request.json()) as { dry_run: boolean };
    dryRuns.push(dry_run);
    if (dry_run && dryRuns.length > 1) return Response.json(DRY_RUN);
    return Response.json({ title: "No", detail: "no answer in 5 s", request_id: "r-7" }, { status: 503 });
  };
  await renderWithAddress(
    <SyncPanel flow={{ source: "us-east", target: "eu-central" }} groups={[]} onClose={() => undefined} />,
  );

  expect(await screen.findByText("The dry run could not be loaded")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));
  await userEvent.click(await screen.findByRole("button", { name: "Write 2 offsets to the target" }));
  expect(await screen.findByText("The offsets may not have been written.")).toBeTruthy();
  expect(screen.getByText("r-7")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  await userEvent.type(screen.getByLabelText("Reason"), "move");
  expect(Object.values(sessionStorage)).toContain('{"reason":"move"}');
  await userEvent.click(screen.getByRole("button", { name: "Repeat the dry run" }));
  await userEvent.click(await screen.findByRole("button", { name: "Write 2 offsets to the target" }));
  await userEvent.click(await screen.findByRole("button", { name: "Write again" }));
  await screen.findByRole("button", { name: "Write again" });
  expect(dryRuns).toEqual([true, true, false, true, false, false]);
});
