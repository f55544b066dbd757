import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ImportCard } from "@/features/configuration/transfer/ImportCard";
import { answerWith, renderWithAddress } from "@/test/render";

const difference = (key: string, before: string | null, after: string | null) => ({
  key,
  before,
  after,
  is_secret: false,
});

test("an import has the name of its file, and says how many properties it changes", async () => {
  const differences = [
    difference("clusters", null, "a, b"),
    difference("a->b.topics", "orders", "payments"),
    difference("a->b.tasks.max", "4", null),
    difference("b->a.tasks.max", "4", null),
  ];
  const effect = { version: 2, changed: true, differences, flows: [], clusters: [], findings: [] };
  answerWith({ "/import": { status: 200, body: effect } });
  await renderWithAddress(<ImportCard dialect="mm2" />);

  const name = await screen.findByLabelText<HTMLInputElement>(/^Name of the file/);
  expect(name.value).toBe("mm2.properties");
  fireEvent.change(screen.getByLabelText("Content"), { target: { value: "clusters = a, b" } });
  fireEvent.change(name, { target: { value: " " } });
  screen.getByText("Enter the name of the file");
  expect(screen.getByRole("button", { name: "Check the file" })).toHaveProperty("disabled", true);

  fireEvent.change(name, { target: { value: "two.properties" } });
  fireEvent.click(screen.getByRole("button", { name: "Check the file" }));
  await screen.findByText("The import adds 1 property, changes 1 and removes 2.");
});
