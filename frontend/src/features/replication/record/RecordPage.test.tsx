import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect, test, vi } from "vitest";
import { aPair, aRecord, aSide, shown } from "@/test/records";
import { answerWith, renderAt } from "@/test/render";

const TOPIC = "/replications/us-east/eu-central/topics/orders";
const AT = `${TOPIC}/record?partition=3&offset=41`;
const ADMIN = { status: 200, body: { username: "ada", role: "admin", permissions: [] } };
const refusal = (status: number, detail: string) => ({ status, body: { title: "No", detail } });

test("both records are side by side, with what differs marked and the way to copy again", async () => {
  const copy = aSide({
    cluster: "eu-central",
    topic: "us-east.orders",
    record: aRecord({ key: shown("order-8") }),
  });
  answerWith({ "/records/41": { status: 200, body: aPair({ copy, differences: ["key"] }) } });
  await renderAt(AT);

  expect(await screen.findByText("The copy differs in: key")).toBeTruthy();
  const table = within(screen.getByRole("region", { name: "Both records" }));
  const key = table.getByRole("row", { name: "Key differs order-7 order-8" });
  expect(key.getAttribute("data-differs")).toBe("true");
  const command = (label: string) => screen.getByLabelText(label).textContent;
  const reset =
    "srm-control topics reset 'us-east->eu-central' --topic orders --partition 3 --to offset:41 --reason 'copy again'";
  expect(command("Dry run of the reset")).toBe(`${reset} --dry-run`);
  expect(command("Command of the reset")).toBe(reset);
  expect(screen.queryByRole("button", { name: "Reset to this record" })).toBeNull();
  expect(command("Command of srm-control")).toBe(
    "srm-control record 'us-east->eu-central' --topic orders --partition 3 --offset 41",
  );
  expect(screen.queryByRole("button", { name: "Show the values" })).toBeNull();
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test("an operator opens the reset of a record with its place filled in", async () => {
  const me = { username: "bo", role: "operator", permissions: ["flows.act"] };
  answerWith({
    "/me": { status: 200, body: me },
    "/records/41": { status: 200, body: aPair({ differences: ["key"] }) },
  });
  await renderAt(AT);
  fireEvent.click(await screen.findByText("Copy again from this record"));
  fireEvent.click(screen.getByRole("button", { name: "Reset to this record" }));

  const form = within(await screen.findByRole("form", { name: "Reset a partition" }));
  expect(form.getByLabelText(/^Topic/)).toHaveProperty("value", "orders");
  expect(form.getByLabelText(/^Partition/)).toHaveProperty("value", "3");
  expect(form.getByLabelText(/^Offset on the source/)).toHaveProperty("value", "41");
});

test("an admin reads the values on demand, and is told when the service hides them", async () => {
  const user = userEvent.setup();
  answerWith({ "/me": ADMIN, "/records/41": { status: 200, body: aPair() } });
  const usual = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (!request.url.includes("value=true")) return usual(request);
    return new Response(JSON.stringify({ title: "Not allowed", detail: "set SRM_SHOW_RECORD_VALUES=true" }), {
      status: 403,
    });
  });
  await renderAt(AT);

  expect(await screen.findByText("Showing the values is recorded in the audit trail.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Show the values" }));

  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe("The values are not shown: set SRM_SHOW_RECORD_VALUES=true");
  expect(screen.getByText("Both records are the same")).toBeTruthy();
});

test.each([
  [
    refusal(404, "us-east->eu-central does not copy partition 3 of orders"),
    "The flow does not copy this partition",
  ],
  [refusal(403, "it needs the viewer role"), "Your role may not see records"],
  [refusal(503, "no control worker of target eu-central answers"), "Records could not be loaded"],
])("a record that cannot be read says why (%#)", async (answer, title) => {
  answerWith({ "/records/41": answer });
  await renderAt(AT);

  expect(await screen.findByText(title)).toBeTruthy();
  expect(screen.getByText(answer.body.detail, { exact: false })).toBeTruthy();
});

test("the form opens the record at an offset of the target", async () => {
  const user = userEvent.setup();
  answerWith({ "/records/56": { status: 200, body: aPair() } });
  await renderAt(`${TOPIC}/record`);

  expect(await screen.findByText("Choose a record")).toBeTruthy();
  const form = within(screen.getByRole("form", { name: "Record at an offset" }));
  await user.clear(form.getByLabelText(/Partition/));
  await user.type(form.getByLabelText(/Partition/), "3");
  await user.type(form.getByLabelText(/Offset/), "56");
  await user.selectOptions(form.getByLabelText("On"), "target");
  await user.click(form.getByRole("button", { name: "Show both records" }));

  expect(await screen.findByRole("heading", { name: "Partition 3, offset 56" })).toBeTruthy();
  expect(document.querySelector("pre")?.textContent).toContain("--offset 56 --on-target");
});
