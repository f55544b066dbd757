import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import ManyFlows from "@/features/replications/many/ManyFlows";
import { NARROW } from "@/lib/view/screen";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt, renderPart } from "@/test/render";
import { keepRequests } from "@/test/requests";

const RESULT = {
  action: "pause",
  dry_run: true,
  done: 1,
  unchanged: 0,
  refused: 1,
  results: [
    { source: "us-east", target: "a", result: "done", text: "" },
    { source: "us-east", target: "b", result: "refused", text: "the flow is disabled" },
  ],
};

async function openTable(permissions: string[]): Promise<void> {
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions } },
    "/replications/actions": { status: 200, body: RESULT },
  });
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ target: "a" }), aFlow({ target: "b" })], { time_ms: Date.now() }));
  await renderAt("/replications", store);
}

test("an operator sees for each chosen flow what an action would do", async () => {
  await openTable(["flows.act"]);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Choose all flows of the filter" }));
  await userEvent.type(await screen.findByRole("textbox", { name: /Reason/ }), "maintenance");
  const enable = screen.getByRole<HTMLOptionElement>("option", { name: /^Enable/ });
  expect([enable.disabled, enable.textContent]).toEqual([true, "Enable: None of them is disabled"]);
  await userEvent.click(screen.getByText("The same as a command"));
  expect(screen.getByRole("region", { name: "Command of srm-control" }).textContent).toBe(
    "srm-control flows act pause 'us-east->a' 'us-east->b' --reason maintenance",
  );
  await userEvent.click(screen.getByRole("button", { name: "Dry run" }));
  expect(await screen.findByText(/Would change 1 flow, 0 unchanged, 1 refused/)).toBeTruthy();
  expect(screen.getByText("the flow is disabled")).toBeTruthy();
  const isAnnounced = (words: string | RegExp) => screen.getByText(words).closest("[role=status]") !== null;
  expect([isAnnounced(/^Would change 1 flow/), isAnnounced("the flow is disabled")]).toEqual([true, false]);
});

test("disabling one flow asks for its name to be typed", async () => {
  await openTable(["flows.act"]);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Choose us-east to a" }));
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Action" }), "disable");
  await userEvent.type(screen.getByRole("textbox", { name: /Reason/ }), "retired");
  const button = screen.getByRole("button", { name: "Disable 1 flow" });
  expect(button.hasAttribute("disabled")).toBe(true);
  await userEvent.type(screen.getByRole("textbox", { name: /Type "us-east->a"/ }), "us-east->a");
  expect(button.hasAttribute("disabled")).toBe(false);
});

test("disabling several flows lists them, and asks for their number and the name of one", async () => {
  await openTable(["flows.act"]);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Choose all flows of the filter" }));
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Action" }), "disable");
  await userEvent.type(screen.getByRole("textbox", { name: /Reason/ }), "retired");
  const listed = within(screen.getByRole("list", { name: "The chosen flows" })).getAllByRole("listitem");
  expect(listed.map((item) => item.textContent)).toEqual(["us-east->a", "us-east->b"]);

  const button = screen.getByRole("button", { name: "Disable 2 flows" });
  await userEvent.type(screen.getByRole("textbox", { name: 'Type "2 flows" to confirm' }), "2 flows");
  expect(button.hasAttribute("disabled")).toBe(true);
  await userEvent.type(screen.getByRole("textbox", { name: /name of one flow/ }), "us-east->b");
  expect(button.hasAttribute("disabled")).toBe(false);
});

test("an undo that disables flows asks for their names as disabling does", async () => {
  const sent: { action: string }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "POST") sent.push(await request.json());
    const results = [{ source: "us-east", target: "a", result: "done", text: "" }];
    return new Response(JSON.stringify({ results }));
  });
  renderPart(<ManyFlows flows={[aFlow({ target: "a", status: "disabled" })]} onClear={() => {}} />);
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Enable");
  await userEvent.type(screen.getByLabelText(/Reason/), "back");
  await userEvent.click(screen.getByRole("button", { name: "Enable 1 flow" }));

  const undo = await screen.findByRole("button", { name: "Undo for 1 flow" });
  expect(undo.hasAttribute("disabled")).toBe(true);
  await userEvent.type(screen.getByRole("textbox", { name: 'Type "us-east->a" to confirm' }), "us-east->a");
  await userEvent.click(undo);

  await waitFor(() => expect(sent.map(({ action }) => action)).toEqual(["enable", "disable"]));
});

test("a viewer is offered no choice", async () => {
  await openTable([]);
  expect(await screen.findByRole("region", { name: "Table of replication flows" })).toBeTruthy();
  expect(screen.queryByRole("checkbox")).toBeNull();
});

test("on a phone the cards of flows are chosen for one action too", async () => {
  vi.stubGlobal("matchMedia", (media: string) =>
    Object.assign(new EventTarget(), { matches: media === NARROW, media }),
  );
  await openTable(["flows.act"]);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Choose us-east to b" }));
  expect(screen.queryByRole("region", { name: "Table of replication flows" })).toBeNull();
  expect(await screen.findByRole("form", { name: "Action on the chosen flows" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Pause 1 flow" })).toBeTruthy();
});

test("each chosen flow gets one order for its throttle, and its progress is shown", async () => {
  const order = { id: 7, changed: true, text: "given", state: "ordered", revision: null, refusal: "" };
  const applied = { ...order, state: "applied", applied_by: [{ task: "0", driver: "driver-7" }], tasks: [] };
  const { changes } = keepRequests(({ method }) => Response.json(method === "POST" ? order : applied));
  const flows = ["a", "b"].map((target) => aFlow({ target }));
  renderPart(<ManyFlows flows={flows} onClear={() => {}} />);
  await userEvent.selectOptions(screen.getByLabelText("Action"), "Throttle");
  await userEvent.type(screen.getByLabelText(/Reason/), "load");
  await userEvent.type(screen.getByLabelText(/MB per second/), "2");
  await userEvent.click(screen.getByRole("button", { name: "Throttle 2 flows" }));
  expect(await screen.findAllByText("by driver-7")).toHaveLength(2);
  const body = { action: "throttle", reason: "load", bytes_per_second: 2_000_000, until_ms: null };
  expect(changes).toMatchObject(
    ["a", "b"].map((target) => ({
      path: `/replications/us-east/${target}/actions`,
      body: { ...body, dry_run: false },
    })),
  );
});

test("the form names what it is for, and says how much of it the filter hides", async () => {
  renderPart(
    <ManyFlows flows={["a", "b"].map((target) => aFlow({ target }))} hidden={1} onClear={() => {}} />,
  );
  expect(screen.getByText(/2 flows chosen, 1 is hidden by the filter\./)).toBeTruthy();
  const names = within(screen.getByRole("list", { name: "The chosen flows" })).getAllByRole("listitem");
  expect(names.map((name) => name.textContent)).toEqual(["us-east->a", "us-east->b"]);
});

test("a chosen flow that the filter hides stays chosen, and the form says so", async () => {
  await openTable(["flows.act"]);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Choose all flows of the filter" }));
  await userEvent.type(screen.getByRole("textbox", { name: /^Filter/ }), "us-east->b");
  expect(await screen.findByText(/2 flows chosen, 1 is hidden by the filter\./)).toBeTruthy();
});

test("an action on flows of other services is refused with their service, and the others get it", async () => {
  answerWith();
  const asked: unknown[] = [];
  keepRequests(({ method, path, body }) => {
    if (method !== "POST" || path !== "/replications/actions") return undefined;
    asked.push(body);
    return Response.json({
      ...RESULT,
      refused: 0,
      results: [{ source: "us-east", target: "a", result: "done", text: "" }],
    });
  });
  const there = aFlow({ target: "b", service: "https://eu:6670" });
  await renderPart(<ManyFlows flows={[aFlow({ target: "a" }), there]} onClear={() => undefined} />);
  await userEvent.type(await screen.findByRole("textbox", { name: /Reason/ }), "maintenance");
  await userEvent.click(screen.getByRole("button", { name: "Dry run" }));

  expect(await screen.findByText(/Would change 1 flow, 0 unchanged, 1 refused/)).toBeTruthy();
  expect(screen.getByText("Reported by https://eu:6670: give the order there")).toBeTruthy();
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(asked)).not.toContain('"b"');
});

test("no action is offered if other services report all chosen flows", async () => {
  answerWith();
  await renderPart(<ManyFlows flows={[aFlow({ service: "https://eu:6670" })]} onClear={() => undefined} />);
  const pause = await screen.findByRole<HTMLOptionElement>("option", { name: /^Pause/ });
  expect([pause.disabled, pause.textContent]).toEqual([true, "Pause: Other services report all of them"]);
});
