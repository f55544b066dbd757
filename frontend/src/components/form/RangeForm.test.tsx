import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import RangeForm from "@/components/form/RangeForm";
import { resolveRange } from "@/lib/range";
import { setZone } from "@/lib/time";

const onRange = vi.fn();
const FROM_MS = Date.UTC(2026, 0, 2, 8);
const HOUR_MS = 3_600_000;

beforeEach(() => {
  setZone("utc");
  const range = resolveRange({ from: FROM_MS, to: FROM_MS + HOUR_MS }, FROM_MS + 2 * HOUR_MS);
  render(
    <MantineProvider env="test">
      <RangeForm range={range} onRange={onRange} onClose={() => undefined} />
    </MantineProvider>,
  );
});

afterEach(() => {
  setZone("local");
  onRange.mockReset();
});

test("the form begins with the range of the page and names the zone", () => {
  expect(screen.getByLabelText<HTMLInputElement>("From").value).toBe("2026-01-02T08:00");
  expect(screen.getByText("Times are in UTC")).toBeTruthy();
});

test("a range is shown from its beginning to its end", () => {
  fireEvent.change(screen.getByLabelText("To"), { target: { value: "2026-01-02T11:00" } });
  fireEvent.click(screen.getByRole("button", { name: "Show the range" }));
  expect(onRange).toHaveBeenCalledWith({ from: FROM_MS, to: FROM_MS + 3 * HOUR_MS });
});

test("a range that ends before its beginning cannot be shown", () => {
  fireEvent.change(screen.getByLabelText("To"), { target: { value: "2026-01-02T07:00" } });
  expect(screen.getByText("The range must end after it starts")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Show the range" }).disabled).toBe(true);
});
