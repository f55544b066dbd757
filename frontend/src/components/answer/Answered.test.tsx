import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Unreachable } from "@/api/problem";
import { Answered } from "@/components/answer/Answered";
import { clockTime } from "@/lib/time";
import { renderPart } from "@/test/render";

const READ_MS = 1_700_000_000_000;

function shown(answer: { data: string[] | undefined; error: Error | null; dataUpdatedAt: number }): void {
  const refetch = (() => Promise.resolve()) as never;
  renderPart(
    <Answered what="drivers" answer={{ ...answer, refetch }}>
      {(names) => (
        <ul>
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
    </Answered>,
  );
}

test("what could not be read again stays, with the time at which it was read and the reason", () => {
  shown({ data: ["driver-1"], error: new Unreachable(null), dataUpdatedAt: READ_MS });

  expect(screen.getByText("driver-1")).toBeTruthy();
  expect(
    screen.getByText(`As of ${clockTime(READ_MS)}. The service does not answer. The page keeps trying.`),
  ).toBeTruthy();
});

test("what was read just now has no time", () => {
  shown({ data: ["driver-1"], error: null, dataUpdatedAt: READ_MS });

  expect(screen.getByText("driver-1")).toBeTruthy();
  expect(screen.queryByText(/^As of/)).toBeNull();
});

test("a failure without anything read before is an error and not an old value", () => {
  shown({ data: undefined, error: new Unreachable(null), dataUpdatedAt: 0 });

  expect(screen.getByText("The drivers could not be loaded")).toBeTruthy();
  expect(screen.queryByText(/^As of/)).toBeNull();
});
