/** The fake service answers as openapi.json says: method, path, status and the fields of each object. */
import { afterAll, beforeAll, expect, test } from "vitest";
import openapi from "../openapi.json" with { type: "json" };
import { type FakeService, startFakeService } from "./fake-service.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};
type Operation = { responses: Record<string, { content?: Record<string, { schema: Schema }> }> };

const SCHEMAS = openapi.components.schemas as unknown as Record<string, Schema>;
const PATHS = openapi.paths as unknown as Record<string, Record<string, Operation>>;
const FLOW = "/api/v2/replications/{source}/{target}";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.close());

/** Where a value has not the fields that its schema declares. */
function differences(value: unknown, schema: Schema, place: string): string[] {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return differences(value, SCHEMAS[name] ?? {}, place);
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => differences(item, schema.items ?? {}, `${place}[${at}]`));
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${place}: ${String(value)}`];
  const { properties, required = [] } = schema;
  if (typeof value !== "object" || value === null || properties === undefined) return [];
  const fields = value as Record<string, unknown>;
  const missing = required
    .filter((field) => !(field in fields))
    .map((field) => `${place}.${field} is missing`);
  const inner = Object.entries(fields).flatMap(([field, part]) => {
    const known = properties[field];
    return known === undefined
      ? [`${place}.${field} is unknown`]
      : differences(part, known, `${place}.${field}`);
  });
  return [...missing, ...inner];
}

const TOPICS = { allow: [".*"] };
const PAIR = { source: "us-east", target: "eu-central" };
const CHANGES: readonly [method: string, path: string, body?: object][] = [
  ["GET", FLOW],
  ["GET", "/api/v2/replications"],
  ["GET", `${FLOW}/topics`],
  ["POST", `${FLOW}/preview`, TOPICS],
  ["POST", `${FLOW}/preview/groups`, TOPICS],
  ["PATCH", FLOW, { enabled: false, comment: "" }],
  ["PATCH", FLOW, { enabled: true, comment: "" }],
  ["POST", "/api/v2/replications/actions", { action: "disable", flows: [PAIR], dry_run: true }],
  ["DELETE", `${FLOW}?dry_run=true`],
  ["DELETE", FLOW],
];

test.each(CHANGES)("%s %s", async (method, path, body) => {
  const address = path.replace("{source}", "us-east").replace("{target}", "eu-central");
  const response = await fetch(service.url + address, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const declared =
    PATHS[path.replace(/\?.*/, "")]?.[method.toLowerCase()]?.responses[String(response.status)];

  expect(declared, `status ${response.status}`).toBeDefined();
  const schema = declared?.content?.["application/json"]?.schema;
  const text = await response.text();
  expect(text === "").toBe(schema === undefined);
  expect(schema === undefined ? [] : differences(JSON.parse(text), schema, "answer")).toEqual([]);
});

test("a deleted flow is gone", async () => {
  const answer = await fetch(
    `${service.url}${FLOW.replace("{source}", "us-east").replace("{target}", "eu-central")}`,
  );
  expect(answer.status).toBe(404);
});
