import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import DriverOrderForm from "@/features/drivers/DriverOrderForm";
import { renderPart } from "@/test/render";

test("a restart that is ordered over any page shows how many processes are back", async () => {
  let boot = "old";
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "POST") return Response.json({});
    const process = { id: "berlin-1", parent: "berlin", role: "data", boot };
    return Response.json({ items: [process], next_cursor: null, as_of_ms: 1, partial: [] });
  });
  const onClose = vi.fn();
  renderPart(<DriverOrderForm driver="berlin" order="restart" onClose={onClose} />);
  await userEvent.type(await screen.findByLabelText(/^Reason/), "new version");
  await userEvent.click(screen.getByRole("button", { name: "Restart berlin" }));

  expect(await screen.findByText("Restart ordered: 0 of 1 process back")).toBeTruthy();
  boot = "new";
  await waitFor(() => expect(screen.getByText("Restarted")).toBeTruthy());
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(onClose).toHaveBeenCalled();
});
