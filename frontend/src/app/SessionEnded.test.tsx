import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

const REFUSED = { status: 401, body: { title: "Unauthorized", detail: "sign in first" } };

test("behind the dialog of an ended session nothing is an error, and nothing is asked for again", async () => {
  answerWith({ "/drivers": REFUSED, "/tasks": REFUSED });
  const { reads } = keepRequests();
  await renderAt("/drivers");

  expect(await screen.findByRole("dialog", { name: "Your session has ended" })).toBeTruthy();
  expect(screen.queryByText(/could not be (loaded|read)/)).toBeNull();
  expect(screen.queryByText(/sign in first/)).toBeNull();
  expect(reads.filter(({ path }) => path === "/drivers")).toHaveLength(1);
});

test("another refusal is an error", async () => {
  answerWith({ "/drivers": { ...REFUSED, status: 409 } });
  await renderAt("/drivers");

  expect(await screen.findByText("The drivers could not be loaded")).toBeTruthy();
});
