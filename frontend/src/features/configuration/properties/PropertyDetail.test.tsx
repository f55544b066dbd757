import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Property } from "@/api/types";
import { aKey } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

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

const NO_MORE = { next_cursor: null, as_of_ms: 1, partial: [] };
const ADMIN = { username: "ada", role: "admin", permissions: ["flows.change"] };

test("a link to another property that sets the key moves the focus to its row", async () => {
  const flowKey: Property = { ...aProperty("tasks.max"), key: "a->b.tasks.max", level: "flow" };
  answerWith({
    "/me": { status: 200, body: ADMIN },
    "/properties": {
      status: 200,
      body: { ...NO_MORE, items: [aProperty("tasks.max"), flowKey], dialect: "srm" },
    },
    "/settings": { status: 200, body: { ...NO_MORE, items: [aKey("tasks.max")] } },
  });
  await renderAt("/configuration?key=connectors.tasks.max");
  const link = await screen.findByRole("link", { name: "a->b.tasks.max" });
  link.focus();
  await userEvent.click(link);

  const row = await screen.findByRole("button", { name: "a->b.tasks.max", expanded: true });
  await waitFor(() => expect(document.activeElement).toBe(row));
});

test("a value that the configuration refuses is told at its field, and begins no draft", async () => {
  const user = userEvent.setup();
  const message = "Must be a whole number of at least 1, not 'abc'.";
  const key = "connectors.tasks.max";
  const findings = [{ severity: "error", key, line: null, message }];
  answerWith({
    "/me": { status: 200, body: ADMIN },
    "/properties": { status: 200, body: { ...NO_MORE, items: [aProperty("tasks.max")], dialect: "srm" } },
    "/settings": { status: 200, body: { ...NO_MORE, items: [aKey("tasks.max")] } },
  });
  const { changes } = keepRequests(({ method }) =>
    method === "GET" ? undefined : Response.json({ status: 422, detail: "no", findings }, { status: 422 }),
  );
  await renderAt(`/configuration?key=${key}`);
  await user.click(await screen.findByRole("button", { name: "Edit the value" }));
  const field = await screen.findByLabelText("Value");
  await user.clear(field);
  await user.type(field, "abc");
  await user.click(screen.getByRole("button", { name: "Start a draft" }));

  await screen.findByText(message);
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(changes.map(({ method, path }) => `${method} ${path}`)).toEqual(["PATCH /properties"]);
  await user.type(field, "d");
  expect(screen.queryByText(message)).toBeNull();
});

test("a typed value is still there after another row was opened", async () => {
  const user = userEvent.setup();
  const items = [aProperty("tasks.max"), aProperty("offset.lag.max")];
  answerWith({
    "/me": { status: 200, body: ADMIN },
    "/properties": { status: 200, body: { ...NO_MORE, items, dialect: "srm" } },
    "/settings": { status: 200, body: { ...NO_MORE, items: [aKey("tasks.max"), aKey("offset.lag.max")] } },
  });
  await renderAt("/configuration");
  await user.click(await screen.findByRole("button", { name: "connectors.tasks.max" }));
  await user.click(await screen.findByRole("button", { name: "Edit the value" }));
  await user.type(await screen.findByLabelText("Comment"), "sale");
  await user.click(screen.getByRole("button", { name: "connectors.offset.lag.max" }));
  await user.click(await screen.findByRole("button", { name: "connectors.tasks.max" }));

  expect((await screen.findByLabelText<HTMLInputElement>("Comment")).value).toBe("sale");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  const edit = await screen.findByRole("button", { name: "Edit the value" });
  expect(document.activeElement).toBe(edit);
  expect(sessionStorage.getItem("property connectors.tasks.max")).toBeNull();
});
