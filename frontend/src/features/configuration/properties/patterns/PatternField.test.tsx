import { fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import type { EffectiveValue, Property, TopicPreview } from "@/api/types";
import { byKey } from "@/features/configuration/properties/keys";
import type { Row } from "@/features/configuration/properties/levels";
import { PropertyDetail } from "@/features/configuration/properties/PropertyDetail";
import { aKey } from "@/test/builders";
import { answerWith, renderAlone } from "@/test/render";
import { keepRequests, type Sent } from "@/test/requests";

const KEY = "us-east->eu-central.topics";
const ON_SOURCE = ["orders", "payments", "tmp"];
const NO_MORE = { next_cursor: null, as_of_ms: 1, partial: [] };

const PROPERTY: Property = {
  key: KEY,
  level: "flow",
  alias: "",
  source: "us-east",
  target: "eu-central",
  name: "topics",
  value: "orders",
  is_secret: false,
  comment: "",
  origin: "rest",
  effect: "planning",
  note: "",
};

const aValue = (name: string, value: string): EffectiveValue => ({
  ...{ client: "flow", name, value, level: "flow", key: `us-east->eu-central.${name}` },
  ...{ origin: "rest", note: "", beaten: [], effect: "planning", why: "", is_secret: false },
});

interface Patterns {
  allow: string[];
  deny: string[];
}

function previewOf({ allow, deny }: Patterns): TopicPreview {
  const names = ON_SOURCE.filter((topic) => allow.some((pattern) => new RegExp(`^${pattern}$`).test(topic)));
  const matches = names
    .filter((topic) => !deny.includes(topic))
    .map((topic) => ({
      topic,
      partitions: 1,
      remote: `us-east.${topic}`,
      is_replicated: false,
      is_heartbeats: false,
      copied_by: [],
    }));
  const denied = names.filter((topic) => deny.includes(topic)).map((topic) => ({ topic, reason: "denied" }));
  const flow = { source: "us-east", target: "eu-central" };
  return { ...flow, matches, denied, near_misses: [], unmatched_patterns: [], counts: {} };
}

const UNCLOSED = "[unclosed: the character class has no end";
const REFUSAL = { status: 400, title: "Not valid", errors: [{ field: "allow", detail: UNCLOSED }] };

const ROW: Row = {
  ...{ key: KEY, level: "flow", base: "us-east->eu-central.", name: "topics" },
  ...{ property: PROPERTY, change: null, state: "same" },
};
const TOPICS = aKey("topics", { kind: "patterns" });

/** The property, with a source that answers the patterns; returns the questions to it. */
async function show(permissions: string[]): Promise<Sent[]> {
  answerWith({
    "/me": { status: 200, body: { username: "ada", role: "operator", permissions } },
    "/settings": { status: 200, body: { ...NO_MORE, items: [TOPICS] } },
    "/effective": {
      status: 200,
      body: { ...NO_MORE, items: [aValue("topics", "orders"), aValue("topics.exclude", "tmp")], version: 1 },
    },
  });
  const { changes } = keepRequests(({ path, body }) => {
    if (path !== "/replications/us-east/eu-central/preview") return undefined;
    const patterns = body as Patterns;
    const isValid = !patterns.allow.includes("[unclosed");
    return Response.json(isValid ? previewOf(patterns) : REFUSAL, { status: isValid ? 200 : 400 });
  });
  await renderAlone("/configuration", <PropertyDetail row={ROW} all={[ROW]} table={byKey([TOPICS])} />);
  return changes;
}

const edit = async (value: string) => {
  fireEvent.click(await screen.findByText("Edit the value"));
  await screen.findByText("1 topic selected");
  fireEvent.change(screen.getByLabelText("Value"), { target: { value } });
};

/** The row of a topic; queries by role would look at the whole page. */
const rowOf = (topic: string) =>
  within(screen.getByLabelText("Selected topics")).getByText(topic).closest("tr")?.textContent;

beforeEach(() => sessionStorage.clear());

test("a topic that a typed pattern selects comes in as new, and a denied one is told", async () => {
  const asked = await show(["flows.change"]);
  await edit("orders, pay.*, tmp");

  await screen.findByText("2 topics selected");
  expect(rowOf("payments")).toContain("New");
  expect(rowOf("orders")).toContain("selected already");
  screen.getByText("1 new");
  expect(screen.getByText(/^Denied/).textContent).toBe("Denied 1");
  expect(asked.at(-1)?.body).toMatchObject({ allow: ["orders", "pay.*", "tmp"], deny: ["tmp"] });
});

test("a topic that only the patterns in force select is named", async () => {
  await show(["flows.change"]);
  await edit("payments");

  await screen.findByText("1 no longer selected");
  screen.getByText(/^No longer selected/);
});

test("a pattern that is refused has the reason at the field", async () => {
  await show(["flows.change"]);
  await edit("[unclosed");

  await screen.findByText(UNCLOSED);
  expect(screen.getByLabelText("Value").getAttribute("aria-invalid")).toBe("true");
  expect(screen.queryByText("1 topic selected")).toBeNull();
});

test("a viewer sees no preview, also with a value that was typed before", async () => {
  sessionStorage.setItem(`property ${KEY}`, JSON.stringify({ value: "payments" }));
  const asked = await show([]);

  await screen.findByText("Other properties that set topics");
  expect(screen.queryByText("Preview")).toBeNull();
  expect(screen.queryByText("Edit the value")).toBeNull();
  expect(asked).toEqual([]);
});
