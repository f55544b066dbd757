import { createEvent, fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Figure } from "@/components/Figure";
import { bytesPerSecond } from "@/lib/format";

/** Copies what is selected from one node to another; returns what the clipboard gets, null for the text itself. */
function copied(from: Node, to: Node): string | null {
  window.getSelection()?.setBaseAndExtent(from, 0, to, to.childNodes.length);
  let text: string | null = null;
  const setData = (_: string, data: string) => {
    text = data;
  };
  const event = createEvent.copy(from, { clipboardData: { setData } });
  fireEvent(from, event);
  return event.defaultPrevented ? text : null;
}

test("a copy of a figure has its exact value, and a copy of more has the text", () => {
  render(
    <p>
      <Figure value={1_234_567} as={bytesPerSecond} />
      <span>and more</span>
    </p>,
  );
  const figure = screen.getByTitle("1,234,567");

  expect(figure.textContent).toMatch(/^1\.23/);
  expect(copied(figure, figure)).toBe("1234567");
  expect(copied(figure, screen.getByText("and more"))).toBeNull();
});
