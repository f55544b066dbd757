import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import ManyParts from "@/features/orders/many/ManyParts";
import { answerWith, renderPart } from "@/test/render";
import { keepRequests, type Sent } from "@/test/requests";

const FLOW = { source: "us-east", target: "eu-central" };
const PARTS = [
  { topic: "orders", partition: null },
  { topic: "payments", partition: 3 },
];

const page = (...items: object[]) => ({ status: 200, body: { items, next_cursor: null } });

/** Renders the form for two parts with a throttle, and returns the orders that it gives. */
function openForm(): Sent[] {
  answerWith({ "/throttles": page(...PARTS.map((part, id) => ({ ...part, id }))) });
  const { changes } = keepRequests(({ method }) =>
    method === "GET" ? undefined : Response.json({ changed: true, text: "given" }),
  );
  renderPart(<ManyParts flow={FLOW} parts={PARTS} onClear={() => {}} />);
  return changes;
}

test("several topics and partitions get one throttle each", async () => {
  const orders = openForm();
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Throttle");
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  const give = screen.getByRole("button", { name: "Throttle 2 parts" });
  expect(give.hasAttribute("disabled")).toBe(true);
  await userEvent.type(screen.getByLabelText(/MB per second/), "0.5");
  await userEvent.click(give);
  expect(await screen.findByText(/Changed 2 parts/)).toBeTruthy();
  expect(orders.map(({ body }) => body)).toMatchObject([
    { action: "throttle", bytes_per_second: 500_000, until_ms: null, scope: PARTS[0] },
    { action: "throttle", bytes_per_second: 500_000, until_ms: null, scope: PARTS[1] },
  ]);
});

test("the throttles of several parts are removed by one action", async () => {
  const orders = openForm();
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Remove the throttle");
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  await userEvent.click(screen.getByRole("button", { name: "Remove the throttle of 2 parts" }));
  expect(await screen.findByText(/Changed 2 parts/)).toBeTruthy();
  expect(orders.map(({ body }) => body)).toMatchObject([
    { action: "throttle", bytes_per_second: null, scope: PARTS[0] },
    { action: "throttle", bytes_per_second: null, scope: PARTS[1] },
  ]);
});

test("several topics are reset after their number and a name are typed, and the state of the resets is shown", async () => {
  const reset = (topic: string) => ({ id: `r-${topic}`, topic, partition: 0, state: "done", rejected: null });
  const items = [reset("orders"), { ...reset("payments"), state: "requested" }];
  const { changes } = keepRequests(({ method, body }) =>
    method === "GET"
      ? Response.json({ items, next_cursor: null })
      : Response.json({ items: [reset((body as { topic: string }).topic)] }),
  );
  const parts = ["orders", "payments"].map((topic) => ({ topic, partition: null }));
  renderPart(<ManyParts flow={FLOW} parts={parts} onClear={() => {}} />);
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Reset");
  await userEvent.type(screen.getByLabelText(/Reason/), "repair");
  await userEvent.selectOptions(screen.getByLabelText("New position"), "Offset");
  const give = screen.getByRole<HTMLButtonElement>("button", { name: "Reset 2 topics" });
  await userEvent.type(screen.getByLabelText(/Type "2 topics"/), "2 topics");
  await userEvent.type(screen.getByLabelText(/name of one topic/), "payments");
  expect(give.disabled).toBe(true);
  await userEvent.type(screen.getByLabelText(/^Offset on the source/), "40");
  await userEvent.click(give);
  expect(await screen.findByText("Pending")).toBeTruthy();
  const common = { partition: null, to: { offset: 40 }, reason: "repair", dry_run: false };
  expect(changes.map(({ body }) => body)).toEqual(parts.map(({ topic }) => ({ ...common, topic })));
});

test("a pause of several parts is undone only where it changed something", async () => {
  answerWith();
  const { changes } = keepRequests(({ method, body }) => {
    if (method === "GET") return undefined;
    const changed = (body as { scope: { topic: string } }).scope.topic === "payments";
    return Response.json({ id: null, changed, text: "given" });
  });
  renderPart(<ManyParts flow={FLOW} parts={PARTS} onClear={() => {}} />);
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  await userEvent.click(screen.getByRole("button", { name: "Pause 2 parts" }));
  await userEvent.click(await screen.findByRole("button", { name: "Undo for 1 part" }));
  expect(await screen.findByText(/Changed 1 part, 0 unchanged, 0 refused/)).toBeTruthy();
  expect(changes).toHaveLength(3);
  expect(changes[2]?.body).toEqual({
    action: "resume",
    reason: "undone: load",
    scope: PARTS[1],
    dry_run: false,
  });
  expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull();
});

test("an action that no chosen part can get is disabled with the reason", async () => {
  answerWith({ "/holds": page(), "/stops": page({ id: 1, ...PARTS[0] }), "/throttles": page() });
  renderPart(<ManyParts flow={FLOW} parts={PARTS} onClear={() => {}} />);
  const option = (name: RegExp) => screen.getByRole<HTMLOptionElement>("option", { name });
  await vi.waitFor(() => expect(option(/^Resume/).disabled).toBe(true));
  expect(option(/^Resume/).textContent).toBe("Resume: The topic is not paused");
  await vi.waitFor(() => expect(option(/^Remove/).textContent).toMatch(/: None of them is throttled$/));
  expect(option(/^Start/).disabled).toBe(false);
  expect(option(/^Reset/).disabled).toBe(false);
});

test("the orders to several parts are copied as commands and requests", async () => {
  openForm();
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  await userEvent.click(screen.getByText("The same as a command"));
  expect(screen.getByRole("region", { name: "Command of srm-control" }).textContent).toBe(
    [
      "srm-control flows pause 'us-east->eu-central' --topic orders --reason load",
      "srm-control flows pause 'us-east->eu-central' --topic payments --partition 3 --reason load",
    ].join("\n"),
  );
});
