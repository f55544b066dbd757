/** The card that orders a flow, over a service that answers an operator as given. */
import { screen, within } from "@testing-library/react";
import type userEvent from "@testing-library/user-event";
import type { Flow, FlowStatus } from "@/api/types";
import { ControlCard } from "@/features/replication/control/ControlCard";
import { type Answer, answerWith, renderWithAddress } from "@/test/render";
import { keepRequests, type Sent } from "@/test/requests";

export const FLOW = "/replications/us-east/eu-central";
export const OPERATOR = {
  status: 200,
  body: { username: "bo", role: "operator", permissions: ["flows.act"] },
};
export const THROTTLE = { status: 200, body: { bytes_per_second: null } };
export const REFUSED = {
  status: 409,
  body: { title: "Conflict", detail: "us-east->eu-central is disabled" },
};

export const flowIn = (status: string): Answer => ({
  status: 200,
  body: { source: "us-east", target: "eu-central", status, served_by: "driver-7" },
});

export const page = (...items: unknown[]): Answer => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

/** The service answers an operator as given; returns the changes that the page asks for. */
export function answerOperator(special: Readonly<Record<string, Answer>>): Sent[] {
  answerWith({ "/me": OPERATOR, "/throttle": THROTTLE, ...special });
  return keepRequests(undefined, FLOW).changes;
}

export async function openCard(
  special: Readonly<Record<string, Answer>>,
  status: FlowStatus = "healthy",
  ordered: Flow["ordered_state"] = "run",
): Promise<Sent[]> {
  const sent = answerOperator(special);
  await renderWithAddress(
    <ControlCard source="us-east" target="eu-central" status={status} ordered={ordered} limit={null} />,
  );
  return sent;
}

export const action = (state: string, applied_revision: number | null) => ({
  id: 7,
  event: "flow.pause",
  ordered_by: "bo",
  ordered_ms: 1,
  revision: 12,
  state,
  refusal: "",
  applied_by: [],
  tasks: [{ task: "source-0", driver: "driver-7", applied_revision }],
});

export const text = "us-east->eu-central stops copying and keeps its position";

export async function openForm(user: ReturnType<typeof userEvent.setup>, button: string, form: string) {
  await user.click(await screen.findByRole("button", { name: button, expanded: false }));
  return within(await screen.findByRole("form", { name: form }));
}
