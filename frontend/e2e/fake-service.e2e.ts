/** The fake service answers as openapi.json says: method, path, status, and the type of each field. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BODIES, NOT_ANSWERED, placeOf } from "./contract/examples.ts";
import { type PageRequest, requestsOfPage } from "./contract/requests.ts";
import { differences, operationOf, schemaOf } from "./contract/schema.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { eventfulPast } from "./orders/past.ts";
import { savedView } from "./screens/steps.ts";

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService();
  const changes = [{ key: "connectors.tasks.max", value: "6" }];
  service.faults.configuration.draft = { id: 1, name: "slots", author: "admin", base_version: 7, changes };
  service.faults.personal.views = [savedView(1, "Analytics")];
});
afterEach(() => service.close());

function ask({ method, path }: PageRequest, body?: object): Promise<Response> {
  const address = service.url + placeOf(path);
  return fetch(address, body === undefined ? { method } : { method, body: JSON.stringify(body) });
}

async function fits(response: Response, { method, path }: PageRequest): Promise<void> {
  const declared = operationOf(method, path)?.responses[String(response.status)];
  expect(declared, `status ${response.status}`).toBeDefined();
  const schema = schemaOf(declared);
  const text = await response.text();
  expect(text === "").toBe(schema === undefined);
  if (schema !== undefined) expect(differences(JSON.parse(text), schema, "answer")).toEqual([]);
}

const named = (request: PageRequest) => ({ ...request, name: `${request.method} ${request.path}` });
const ASKED = requestsOfPage().map(named);
const ANSWERED = ASKED.filter(({ name }) => !NOT_ANSWERED.includes(name));
const READS = ANSWERED.filter(({ method }) => method === "GET");
/** The reads of a flow without an audit. */
const READS_WITHOUT_PAST = READS.filter(({ path }) => !path.includes("{audit_id}"));
const CHANGES = ANSWERED.filter(({ method }) => method !== "GET").flatMap((request) =>
  (BODIES[request.name] ?? []).map((body) => ({ ...request, body })),
);

const byName = <Named extends { name: string }>(all: readonly Named[]) =>
  all.map((each): [string, Named] => [each.name, each]);

describe("a request of the page", () => {
  test.each(byName(READS_WITHOUT_PAST))("%s", async (_, request) => {
    const response = await ask(request);
    expect(response.status).toBe(200);
    await fits(response, request);
  });

  test.each(byName(READS))("%s, of a flow with a past", async (_, request) => {
    service.faults.past = eventfulPast(Date.now());
    await fits(await ask(request), request);
  });

  test.each(byName(CHANGES))("%s", async (_, { body, ...request }) => {
    const schema = schemaOf(operationOf(request.method, request.path)?.requestBody);
    const response = await ask(request, schema === undefined ? undefined : body);
    expect(schema === undefined ? [] : differences(body, schema, "body")).toEqual([]);
    await fits(response, request);
  });

  test.each(NOT_ANSWERED)("%s is told to be unknown", async (name) => {
    const [method = "", path = ""] = name.split(" ");
    expect((await ask({ method, path })).status).toBe(404);
    expect(service.unknown).toEqual([`${method} ${placeOf(path)}`]);
  });
});

test("every change that the page orders has an example", () => {
  const orders = ANSWERED.filter(({ method }) => method !== "GET").map(({ name }) => name);
  expect(Object.keys(BODIES).sort()).toEqual(orders.sort());
});

test("a deleted flow is gone", async () => {
  const path = "/api/v2/replications/{source}/{target}";
  expect((await ask({ method: "DELETE", path: `${path}?dry_run=true` })).status).toBe(200);
  expect((await ask({ method: "GET", path })).status).toBe(200);
  expect((await ask({ method: "DELETE", path })).status).toBe(204);
  expect((await ask({ method: "GET", path })).status).toBe(404);
});
