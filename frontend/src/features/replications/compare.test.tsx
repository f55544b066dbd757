import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

/** Opens the overview of two flows; returns the starts of the ranges that are read of all flows. */
async function openOverview(address: string): Promise<number[]> {
  answerWith();
  const asked: number[] = [];
  const answering = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (pathname.endsWith("/metrics/flows")) asked.push(Number(searchParams.get("from_ms")));
    return answering(input, init);
  };
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ target: "a" }), aFlow({ target: "b" })], { time_ms: Date.now() }));
  await renderAt(address, store);
  return asked;
}

const DAY_MS = 86_400_000;

test("the chart of the overview is compared with yesterday, and read twice only then", async () => {
  const asked = await openOverview("/replications?table=flows");
  await userEvent.click(
    await screen.findByRole("button", { name: /^Options of the chart flows-throughput/ }),
  );
  expect(asked).toHaveLength(1);

  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Compare with yesterday" }));

  expect(await screen.findByText("Nothing was measured yesterday")).toBeTruthy();
  expect(asked).toHaveLength(2);
  expect(Math.abs((asked[0] ?? 0) - (asked[1] ?? 0) - DAY_MS)).toBeLessThan(3 * 60_000);
  expect(screen.getByRole("columnheader", { name: "us-east → a, yesterday" })).toBeTruthy();
});

test("the address holds what the overview is compared with", async () => {
  const asked = await openOverview("/replications?table=flows&compare=week");

  expect(await screen.findByRole("columnheader", { name: "us-east → b, last week" })).toBeTruthy();
  await waitFor(() => expect(asked).toHaveLength(2));
});
