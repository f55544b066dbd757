import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Definition } from "@/components/definition/Definition";
import { StatesNote } from "@/components/definition/StatesNote";
import { TermNote } from "@/components/definition/TermNote";

test("a question mark defines one state, all states of a table, or a metric", async () => {
  const user = userEvent.setup();
  render(
    <MantineProvider env="test">
      <StatesNote of="flow" state="interrupted" />
      <StatesNote of="partition" />
      <TermNote term="driver_load" name="Load" />
      <Definition metric="lag_ms" name="Lag in time" />
    </MantineProvider>,
  );

  await user.click(screen.getByRole("button", { name: "Definition of Interrupted" }));
  expect(await screen.findByText(/A cluster or a driver is not available/)).toBeTruthy();
  expect(screen.queryByText("Degraded")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Definition of the states of a partition" }));
  expect(await screen.findByText("Caught up")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Definition of Load" }));
  expect(await screen.findByText(/^Share of a core/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Definition of Lag in time" }));
  expect(await screen.findByText(/^Lag in time: age of the oldest record/)).toBeTruthy();
});
