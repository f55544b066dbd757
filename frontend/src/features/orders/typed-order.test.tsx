import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import OrderForm from "@/features/orders/OrderForm";
import type { OrderKind } from "@/features/orders/order";
import { answerOperator } from "@/test/orders";
import { renderPart } from "@/test/render";

const GIVEN = { id: 7, action: "pause", changed: true, text: "paused", tasks: [], state: "ordered" };

/** Opens the form of an order, as after a reload of the page. */
function openForm(kind: OrderKind, topic = "") {
  cleanup();
  answerOperator({ "/actions": { status: 200, body: GIVEN } });
  const onGiven = vi.fn();
  const flow = { source: "us-east", target: "eu-central" };
  const scope = { topic, partition: null };
  renderPart(<OrderForm kind={kind} flow={flow} scope={scope} onClose={() => undefined} onGiven={onGiven} />);
  return onGiven;
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(new RegExp(`^${name}`));

test("reason, end and limit of an order outlive a reload, each in its own form", async () => {
  openForm("throttle");
  const user = userEvent.setup();
  await user.type(field("Reason"), "sale");
  await user.type(field("MB per second"), "5");
  await user.selectOptions(field("Ends"), "1h");

  openForm("throttle");
  expect([field("Reason").value, field("MB per second").value, field("Ends").value]).toEqual([
    "sale",
    "5",
    "1h",
  ]);
  openForm("throttle", "orders");
  expect(field("Reason").value).toBe("");
  openForm("pause");
  expect(field("Reason").value).toBe("");
});

test("the name that confirms an order is typed each time", async () => {
  openForm("stop");
  const user = userEvent.setup();
  await user.type(field("Reason"), "move");
  await user.type(field("Confirm"), "us-east->eu-central");

  openForm("stop");
  expect(field("Reason").value).toBe("move");
  expect(field("Confirm").value).toBe("");
});

test("an order that is given or cancelled leaves nothing behind", async () => {
  const user = userEvent.setup();
  const onGiven = openForm("pause");
  await user.type(field("Reason"), "sale");
  await user.click(screen.getByRole("button", { name: "Pause the flow" }));
  await waitFor(() => expect(onGiven).toHaveBeenCalled());
  openForm("pause");
  expect(field("Reason").value).toBe("");

  await user.type(field("Reason"), "sale");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  openForm("pause");
  expect(field("Reason").value).toBe("");
});
