/** The card that orders a flow, over a service that answers an operator as given. */
import { screen, within } from "@testing-library/react";
import type userEvent from "@testing-library/user-event";
import { vi } from "vitest";
import type { Flow, FlowStatus } from "@/api/types";
import { ControlCard } from "@/features/replication/control/ControlCard";
import { type Answer, answerWith, renderWithAddress } from "@/test/render";

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

export interface Sent {
  method: string;
  path: string;
  body: unknown;
}

/** The service answers an operator as given; returns the changes that the page asks for. */
export function answerOperator(special: Readonly<Record<string, Answer>>): Sent[] {
  const sent: Sent[] = [];
  answerWith({ "/me": OPERATOR, "/throttle": THROTTLE, ...special });
  const answer = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method !== "GET") {
      const text = await request.clone().text();
      const path = new URL(request.url).pathname.replace(`/api/v2${FLOW}`, "");
      sent.push({ method: request.method, path, body: text === "" ? null : JSON.parse(text) });
    }
    return answer(request);
  });
  return sent;
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
  await user.click(await screen.findByRole("button", { name: button }));
  return within(await screen.findByRole("form", { name: form }));
}
