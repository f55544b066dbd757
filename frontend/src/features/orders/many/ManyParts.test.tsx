import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import ManyParts from "@/features/orders/many/ManyParts";
import { renderPart } from "@/test/render";

const FLOW = { source: "us-east", target: "eu-central" };
const PARTS = [
  { topic: "orders", partition: null },
  { topic: "payments", partition: 3 },
];

/** Renders the form, and returns the bodies of the orders that it gives. */
function openForm(): object[] {
  const bodies: object[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    bodies.push(await request.json());
    return new Response(JSON.stringify({ changed: true, text: "given" }), { status: 200 });
  });
  renderPart(<ManyParts flow={FLOW} parts={PARTS} onClear={() => {}} />);
  return bodies;
}

test("several topics and partitions get one throttle each", async () => {
  const bodies = openForm();
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Throttle");
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  const give = screen.getByRole("button", { name: "Throttle 2 parts" });
  expect(give.hasAttribute("disabled")).toBe(true);
  await userEvent.type(screen.getByLabelText(/MB per second/), "0.5");
  await userEvent.click(give);
  expect(await screen.findByText(/Changed 2 parts/)).toBeTruthy();
  expect(bodies).toMatchObject([
    { action: "throttle", bytes_per_second: 500_000, until_ms: null, scope: PARTS[0] },
    { action: "throttle", bytes_per_second: 500_000, until_ms: null, scope: PARTS[1] },
  ]);
});

test("the throttles of several parts are removed by one action", async () => {
  const bodies = openForm();
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Remove the throttle");
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  await userEvent.click(screen.getByRole("button", { name: "Remove the throttle of 2 parts" }));
  expect(await screen.findByText(/Changed 2 parts/)).toBeTruthy();
  expect(bodies).toMatchObject([
    { action: "throttle", bytes_per_second: null, scope: PARTS[0] },
    { action: "throttle", bytes_per_second: null, scope: PARTS[1] },
  ]);
});
