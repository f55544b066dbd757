import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Card } from "@/components/Card";
import { renderPart } from "@/test/render";

function Broken(): never {
  throw new Error("this part failed");
}

const quietly = () => vi.spyOn(console, "error").mockImplementation(() => undefined);

test.each([
  { part: "the tools", card: { tools: <Broken />, children: "its content" }, retry: "Tools of Lag: retry" },
  { part: "the note", card: { note: <Broken />, children: "its content" }, retry: "Note of Lag: retry" },
])("an error in $part of a card leaves its content and the other cards", ({ card, retry }) => {
  quietly();
  renderPart(
    <>
      <Card title="Lag" {...card} />
      <Card title="Latency">the other content</Card>
    </>,
  );

  expect(screen.getByRole("button", { name: retry })).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Lag" })).toBeTruthy();
  expect(screen.getByText("its content")).toBeTruthy();
  expect(screen.getByText("the other content")).toBeTruthy();
});

test("an error in the content of a card leaves the other cards", () => {
  quietly();
  renderPart(
    <>
      <Card title="Lag">
        <Broken />
      </Card>
      <Card title="Latency">the other content</Card>
    </>,
  );

  expect(screen.getByText("Lag could not be loaded")).toBeTruthy();
  expect(screen.getByText("the other content")).toBeTruthy();
});
