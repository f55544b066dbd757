import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Property } from "@/api/types";
import { aKey } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

beforeEach(() => sessionStorage.clear());

const aProperty = (name: string): Property => ({
  key: `connectors.${name}`,
  level: "connectors",
  alias: "",
  source: "",
  target: "",
  name,
  value: "4",
  is_secret: false,
  comment: "",
  origin: "rest",
  effect: "planning",
  note: "",
});

test("a typed value is still there after another row was opened", async () => {
  const user = userEvent.setup();
  const list = { next_cursor: null, as_of_ms: 1, partial: [] };
  const items = [aProperty("tasks.max"), aProperty("offset.lag.max")];
  answerWith({
    "/me": { status: 200, body: { username: "ada", role: "admin", permissions: ["flows.change"] } },
    "/properties": { status: 200, body: { ...list, items, dialect: "srm" } },
    "/settings": { status: 200, body: { ...list, items: [aKey("tasks.max"), aKey("offset.lag.max")] } },
  });
  await renderAt("/configuration");
  await user.click(await screen.findByRole("button", { name: "connectors.tasks.max" }));
  await user.click(await screen.findByRole("button", { name: "Edit the value" }));
  await user.type(await screen.findByLabelText("Comment"), "sale");
  await user.click(screen.getByRole("button", { name: "connectors.offset.lag.max" }));
  await user.click(await screen.findByRole("button", { name: "connectors.tasks.max" }));

  expect((await screen.findByLabelText<HTMLInputElement>("Comment")).value).toBe("sale");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("button", { name: "Edit the value" })).toBeTruthy();
  expect(sessionStorage.getItem("property connectors.tasks.max")).toBeNull();
});
