import { cleanup, screen, waitFor } from "@testing-library/react";
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

test.each([
  ["drain", "Drain berlin", "Drain ordered: 2 tasks left"],
  ["undrain", "Undrain berlin", "berlin takes tasks again."],
] as const)("the result of a %s over any page is shown until it is closed", async (order, name, result) => {
  vi.stubGlobal("fetch", async () => Response.json({ drain: null, tasks: 2, drained: false, items: [] }));
  const onClose = vi.fn();
  renderPart(<DriverOrderForm driver="berlin" order={order} onClose={onClose} />);
  await userEvent.type(await screen.findByLabelText(/^Reason/), "new disk");
  await userEvent.click(screen.getByRole("button", { name }));

  expect(await screen.findByText(result)).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(onClose).toHaveBeenCalled();
});

test("a drain that is refused has its reason and the id of the request, not at the field", async () => {
  const problem = { title: "No", detail: "no control worker answers", request_id: "r-7" };
  vi.stubGlobal("fetch", async () => Response.json(problem, { status: 503 }));
  renderPart(<DriverOrderForm driver="berlin" order="drain" onClose={() => undefined} />);
  const reason = await screen.findByLabelText(/^Reason/);
  await userEvent.type(reason, "new disk");
  await userEvent.click(screen.getByRole("button", { name: "Drain berlin" }));

  expect((await screen.findByRole("alert")).textContent).toBe("no control worker answersRequest r-7");
  expect(reason.getAttribute("aria-invalid")).not.toBe("true");
});

test("the reason of a drain outlives a reload until it is ordered", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ drain: null, tasks: 2, drained: false, items: [] }));
  const open = async () => {
    cleanup();
    renderPart(<DriverOrderForm driver="berlin" order="drain" onClose={() => undefined} />);
    return screen.findByLabelText<HTMLInputElement>(/^Reason/);
  };
  await userEvent.type(await open(), "new disk");
  expect((await open()).value).toBe("new disk");

  await userEvent.click(screen.getByRole("button", { name: "Drain berlin" }));
  await screen.findByText("Drain ordered: 2 tasks left");
  expect((await open()).value).toBe("");
});
