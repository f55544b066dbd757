import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import OrderForm from "@/features/orders/OrderForm";
import { renderPart } from "@/test/render";
import { keepRequests } from "@/test/requests";

test("a change that was refused as someone else was faster can be sent again", async () => {
  let version = 7;
  const kept = keepRequests(({ method, match }) => {
    const headers = { ETag: `"${version}"` };
    if (method === "GET") return Response.json({ status: "disabled", ordered_state: "run" }, { headers });
    if (match === `"${version}"`) return Response.json({ order: 1 }, { headers });
    return Response.json(
      { title: "No", detail: `send If-Match: "${version}"`, request_id: "r-7" },
      { status: 412 },
    );
  });
  const onGiven = vi.fn();
  const flow = { source: "us-east", target: "eu-central" };
  renderPart(<OrderForm kind="enable" flow={flow} onClose={() => undefined} onGiven={onGiven} />);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText(/^Reason/), "back");
  version = 8;
  await user.click(screen.getByRole("button", { name: "Enable the flow" }));

  await screen.findByText(/^Someone else has changed this since you opened it\./);
  expect(screen.getByRole("alert").textContent).toContain("Request r-7");
  await waitFor(() => expect(kept.reads.filter(({ path }) => path.endsWith("/eu-central")).length).toBe(2));
  await user.click(screen.getByRole("button", { name: "Enable the flow" }));
  await waitFor(() => expect(onGiven).toHaveBeenCalled());
  expect(kept.changes.map(({ match }) => match)).toEqual(['"7"', '"8"']);
});
