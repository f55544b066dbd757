import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

const DETAIL = {
  source: "us-east",
  target: "eu-central",
  served_by: "driver-7",
  labels: { team: "payments" },
  owner: "ann",
  criticality: "high",
  runbook: "https://runbooks.example/us-east",
};

async function openFlow(permissions: readonly string[], detail: object = DETAIL) {
  answerWith({
    "/me": { status: 200, body: { username: "ada", role: "operator", permissions } },
    "/replications/us-east/eu-central": { status: 200, body: detail },
  });
  await renderAt("/replications/us-east/eu-central");
  await screen.findByText("ann");
}

test("a flow shows its owner, its runbook and its labels, which lead to the flows with them", async () => {
  await openFlow([]);

  const runbook = screen.getByRole("link", { name: "Open the runbook" });
  expect(runbook.getAttribute("href")).toBe(DETAIL.runbook);
  const label = screen.getByRole("link", { name: "team=payments" });
  expect(label.getAttribute("href")).toBe("/replications?q=team%3Dpayments");
  expect(screen.queryByRole("button", { name: "Edit owner and labels" })).toBeNull();
});

test("a runbook that is no web address is no link", async () => {
  await openFlow([], { ...DETAIL, runbook: "javascript:alert(1)" });

  screen.getByText("javascript:alert(1)");
  expect(screen.queryByRole("link", { name: "Open the runbook" })).toBeNull();
});

test("an edit sends the changed fields only", async () => {
  await openFlow(["flows.change"]);
  const kept = keepRequests(
    ({ method }) => (method === "PATCH" ? Response.json({ order: null }) : undefined),
    "/replications/us-east/eu-central",
  );

  fireEvent.click(screen.getByRole("button", { name: "Edit owner and labels" }));
  const labels = await screen.findByLabelText(/^Labels/);
  expect(labels).toHaveProperty("value", "team=payments");
  const save = screen.getByRole("button", { name: "Save" });
  expect(save).toHaveProperty("disabled", true);
  fireEvent.change(screen.getByLabelText(/^Runbook/), { target: { value: "wiki" } });
  screen.getByText("Enter an http or https address.");
  fireEvent.change(screen.getByLabelText(/^Runbook/), { target: { value: DETAIL.runbook } });
  fireEvent.change(labels, { target: { value: "team=payments\nenv=prod" } });
  fireEvent.click(save);

  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(kept.changes.map(({ body }) => body)).toEqual([
    { labels: { team: "payments", env: "prod" }, comment: "" },
  ]);
});
