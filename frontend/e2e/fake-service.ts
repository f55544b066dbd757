/** The service as the page sees it: built files under the production policy, REST and the live socket. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";
import type { FlowRow, LiveFrame } from "../src/api/types.ts";
import { type FakeConfiguration, newConfiguration } from "./configuration/fake.ts";
import { aliases, type FakeFlow, FLEET, rowOf } from "./fleet.ts";
import { type Asked, Created, managed, NO_CONTENT, Refused, withMissing, withoutItems } from "./manage.ts";
import { FakeOrders } from "./orders/fake.ts";
import { type Past, pastPart } from "./orders/past.ts";
import { FakePersonal } from "./personal/fake.ts";
import { read } from "./reads/reads.ts";
import { FakeDrivers } from "./services/drivers.ts";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const NONCE = "bm9uY2U";
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  `style-src 'self' 'nonce-${NONCE}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
].join("; ");

export interface FakeService {
  url: string;
  /** what goes wrong: changed by the tests while the service runs */
  faults: {
    api_status: number | null;
    is_silent: boolean;
    /** REST never answers */
    is_hanging: boolean;
    /** services or clusters that are missing in the answers */
    partial: readonly string[];
    /** every list is empty */
    is_empty: boolean;
    flows: readonly FakeFlow[];
    permissions: readonly string[];
    aliases: string[];
    configuration: FakeConfiguration;
    orders: FakeOrders;
    drivers: FakeDrivers;
    personal: FakePersonal;
    /** what has happened to every flow; null: nothing */
    past: Past | null;
  };
  /** answers the requests that were left hanging */
  release(): void;
  /** requests that the fake service does not know */
  unknown: string[];
  dropSockets(code: number): void;
  refuseSockets(isRefused: boolean): void;
  close(): Promise<void>;
}

const EPOCH = "epoch-1";
const DETAILS: Readonly<Record<number, string>> = {
  403: "your role does not allow this: it needs the viewer role, ask an admin for it",
  503: "the database does not answer as it should",
};

export async function startFakeService(): Promise<FakeService> {
  const faults: FakeService["faults"] = {
    api_status: null,
    is_silent: false,
    is_hanging: false,
    partial: [],
    is_empty: false,
    flows: FLEET,
    permissions: [],
    aliases: aliases(),
    configuration: newConfiguration(),
    orders: new FakeOrders(),
    drivers: new FakeDrivers(),
    personal: new FakePersonal(),
    past: null,
  };
  const unknown: string[] = [];
  const hanging: (() => void)[] = [];
  const server = createServer((request, response) => {
    const isHeld = faults.is_hanging && /^\/api\/(?!.*\/me$)/.test(request.url ?? "");
    const respond = () => void answer(request, response, faults, unknown);
    if (isHeld) hanging.push(respond);
    else respond();
  });
  const sockets = new WebSocketServer({ noServer: true });
  let isRefused = false;
  server.on("upgrade", (request, socket, head) => {
    if (isRefused) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, (client) => serveLive(client, faults));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the fake service has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    faults,
    unknown,
    release: () => {
      faults.is_hanging = false;
      for (const respond of hanging.splice(0)) respond();
    },
    dropSockets: (code) => {
      for (const client of sockets.clients) client.close(code);
    },
    refuseSockets: (refused) => {
      isRefused = refused;
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  faults: FakeService["faults"],
  unknown: string[],
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://service");
  if (url.pathname.startsWith("/assets/")) sendFile(response, url.pathname);
  else if (url.pathname.startsWith("/api/")) {
    const { aliases, configuration } = faults;
    const flows = flowsNow(faults);
    const sent = await bodyOf(request);
    const redefine: Asked["redefine"] = (flow, next) => {
      const known = flow === null ? [...faults.flows, null] : faults.flows;
      const isSame = (one: FakeFlow | null) => one?.source === flow?.source && one?.target === flow?.target;
      faults.flows = known.map((one) => (isSame(one) ? next : one)).filter((one) => one !== null);
    };
    const asked = { method: request.method ?? "GET", url, sent, flows, redefine, aliases, configuration };
    const orders = pastOf(asked, faults.past) ?? orderPart(asked, faults.orders);
    if (orders !== undefined) {
      if (faults.api_status !== null) return refuseAll(response, url, faults.api_status);
      const found = faults.is_empty ? withoutItems(orders) : orders;
      return found instanceof Refused ? refuse(response, url, found) : sendJson(response, found);
    }
    sendApi(response, asked, faults, unknown);
  } else sendPage(response);
}

/** The flows, with the orders in force that their past has. */
function flowsNow({ flows, past }: FakeService["faults"]): readonly FakeFlow[] {
  return past === null ? flows : flows.map((flow) => ({ ...flow, orders_in_force: past.orders_in_force }));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? undefined : JSON.parse(text);
}

function sendPage(response: ServerResponse): void {
  const page = readFileSync(join(DIST, "index.html"), "utf8").replaceAll("__CSP_NONCE__", NONCE);
  response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": POLICY });
  response.end(page);
}

function sendFile(response: ServerResponse, path: string): void {
  try {
    const body = readFileSync(join(DIST, normalize(path)));
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

/** The person with these rights, by the role that has them. */
function personOf(permissions: readonly string[]) {
  const role = permissions.includes("clusters.change")
    ? "admin"
    : permissions.includes("flows.act")
      ? "operator"
      : "viewer";
  return { username: role === "admin" ? role : "ada", role, permissions };
}

function sendApi(
  response: ServerResponse,
  asked: Asked,
  { api_status, permissions, personal, drivers, partial, is_empty }: FakeService["faults"],
  unknown: string[],
): void {
  const { method, url } = asked;
  const me = personOf(permissions);
  const kept = () => personal.answer(asked) ?? drivers.answer(asked) ?? managed(asked) ?? read(asked);
  const found = url.pathname.endsWith("/me") ? me : kept();
  if (found === undefined) unknown.push(`${method} ${url.pathname}`);
  if (api_status !== null || found === undefined) {
    refuseAll(response, url, api_status ?? 404);
  } else if (found instanceof Refused) {
    refuse(response, url, found);
  } else if (found === NO_CONTENT) {
    response.writeHead(204).end();
  } else if (found instanceof Created) {
    sendJson(response, found.body, 201);
  } else {
    sendJson(response, withMissing(is_empty ? withoutItems(found) : found, partial));
  }
}

function refuseAll(response: ServerResponse, url: URL, status: number): void {
  refuse(response, url, new Refused(status, { detail: DETAILS[status] ?? "There is no such resource." }));
}

function sendJson(response: ServerResponse, found: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json", ETag: '"7"' });
  response.end(JSON.stringify(found));
}

function pastOf({ method, url }: Asked, past: Past | null): unknown {
  const [first, , , part = "", name, below] = url.pathname.replace("/api/v2/", "").split("/");
  if (method !== "GET" || past === null || first !== "replications") return undefined;
  return pastPart(past, part, name, below);
}

function orderPart(asked: Asked, orders: FakeOrders): unknown {
  const [first, source, target, part = "", name] = asked.url.pathname.replace("/api/v2/", "").split("/");
  const flow = asked.flows.find((one) => one.source === source && one.target === target);
  return first !== "replications" || flow === undefined ? undefined : orders.answer(asked, flow, part, name);
}

function refuse(response: ServerResponse, url: URL, { status, members }: Refused): void {
  response.writeHead(status, { "Content-Type": "application/problem+json" });
  const common = { type: "about:blank", title: "The request failed", status };
  response.end(JSON.stringify({ ...common, instance: url.pathname, request_id: "7f3a1c", ...members }));
}

function serveLive(client: WebSocket, faults: FakeService["faults"]): void {
  let seq = 0;
  let sent: readonly string[] = [];
  const send = (type: "snapshot" | "delta"): void => {
    seq += 1;
    const rows = flowsNow(faults).map((flow) => rowOf(flow, Date.now()));
    const keys = rows.map(({ key }) => key);
    const removed = type === "delta" ? sent.filter((key) => !keys.includes(key)) : [];
    sent = keys;
    const columns = Object.keys(rowOf(FLEET[0] as FakeFlow, 0)) as (keyof FlowRow)[];
    const frame: LiveFrame = {
      type,
      topic: "flows",
      epoch: EPOCH,
      seq,
      time_ms: Date.now(),
      columns,
      rows: rows.map((row) => columns.map((column) => row[column])),
      removed,
    };
    client.send(JSON.stringify(frame));
  };
  client.on("message", (data) => {
    const message = JSON.parse(String(data)) as { op: string };
    if (message.op === "sub") send("snapshot");
  });
  const timer = setInterval(() => {
    if (seq > 0 && !faults.is_silent) send("delta");
  }, 1000);
  client.on("close", () => clearInterval(timer));
}
