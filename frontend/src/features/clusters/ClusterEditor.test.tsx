import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Cluster } from "@/api/types";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";
import { type Answer, answerWith, renderWithAddress } from "@/test/render";
import { keepRequests } from "@/test/requests";

afterEach(() => sessionStorage.clear());

test("a cluster whose test has just failed is added after a question", async () => {
  const error = "cluster new: security.protocol is not known";
  const report = { ok: false, took_ms: 5, error, problem: error, cluster_id: null, untested: 0, brokers: [] };
  const refused = { status: 409, detail: "there is a cluster east already" };
  answerWith({
    "/clusters/test": { status: 200, body: report },
    "/clusters": { status: 409, body: refused },
  });
  await renderWithAddress(<ClusterEditor />);

  const alias = await screen.findByLabelText(/^Alias/);
  fireEvent.change(alias, { target: { value: "my cluster" } });
  expect(screen.queryByText(/^Begin with a letter.*\.$/)).toBeNull();
  fireEvent.blur(alias);
  screen.getByText(/^Begin with a letter.*\.$/);
  fireEvent.change(alias, { target: { value: "east" } });
  fireEvent.change(screen.getByLabelText(/^Bootstrap servers/), { target: { value: "b1:9092" } });
  fireEvent.click(screen.getByRole("button", { name: "Test the connection" }));
  await screen.findByText(error);
  expect(screen.queryByText(/0 brokers/)).toBeNull();

  fireEvent.click(screen.getByRole("button", { name: "Add the cluster" }));
  screen.getByText("The test failed. Add it anyway?");
  expect(screen.queryByText(refused.detail)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Add it anyway" }));
  await screen.findByText(refused.detail);
});

const REPORT = { took_ms: 5, error: "", cluster_id: null, untested: 0, brokers: [] };

test("lines that are not settings are not tested, and a result belongs to the settings it was made with", async () => {
  answerWith({ "/clusters/test": { status: 200, body: { ...REPORT, ok: true, problem: "" } } });
  await renderWithAddress(<ClusterEditor />);
  const bootstrap = await screen.findByLabelText(/^Bootstrap servers/);
  const others = screen.getByLabelText(/^Other client settings/);
  const press = () => fireEvent.click(screen.getByRole("button", { name: "Test the connection" }));

  fireEvent.change(bootstrap, { target: { value: "b1:9092" } });
  press();
  await screen.findByText("Every step succeeded");
  fireEvent.change(others, { target: { value: "client.rack=a\nnonsense" } });
  expect(screen.queryByText("Every step succeeded")).toBeNull();
  press();
  expect(others.getAttribute("aria-invalid")).toBe("true");
  screen.getByText("Write one key=value a line: found 'nonsense'.");
  expect(screen.queryByText("Every step succeeded")).toBeNull();

  fireEvent.change(others, { target: { value: "" } });
  screen.getByText("Every step succeeded");
  fireEvent.change(bootstrap, { target: { value: "localhost" } });
  expect(screen.queryByText("Every step succeeded")).toBeNull();
});

const STORED = {
  alias: "east",
  bootstrap: ["b1:9092"],
  client: {},
  secret_names: [],
  location: "colocated",
  labels: {},
  owner: "",
  criticality: "normal",
  runbook: "",
} as unknown as Cluster;

test("an edit of the connection is tested before it is saved, and a failure asks", async () => {
  const failed = { ...REPORT, ok: false, problem: "no answer to TCP" };
  answerWith({
    "/clusters/test": { status: 200, body: failed },
    "/clusters/east": { status: 200, body: STORED },
  });
  const { changes } = keepRequests();
  const sent = () => changes.map(({ method, path }) => `${method} ${path}`);
  await renderWithAddress(<ClusterEditor stored={{ data: STORED, etag: "1" }} />);

  fireEvent.change(await screen.findByLabelText(/^Bootstrap servers/), { target: { value: "dead:9092" } });
  fireEvent.click(screen.getByRole("button", { name: "Save the cluster" }));
  await screen.findByText("The test failed. Save it anyway?");
  expect(sent()).toEqual(["POST /clusters/test"]);
  fireEvent.click(screen.getByRole("button", { name: "Save it anyway" }));
  await waitFor(() => expect(sent().at(-1)).toBe("PATCH /clusters/east"));
});

test("an edit that leaves the connection as it is needs no test", async () => {
  answerWith({ "/clusters/east": { status: 409, body: { status: 409, detail: "refused" } } });
  await renderWithAddress(<ClusterEditor stored={{ data: STORED, etag: "1" }} />);
  fireEvent.change(await screen.findByLabelText(/^Owner/), { target: { value: "payments" } });
  fireEvent.click(screen.getByRole("button", { name: "Save the cluster" }));
  await screen.findByText("refused");
});

test("a stored secret that must be entered again for another address is named at its field", async () => {
  const key = "sasl.jaas.config";
  const detail = "Stored secrets are sent only to the stored bootstrap servers.";
  const errors = [{ field: `secrets.${key}`, detail }];
  answerWith({ "/clusters/test": { status: 400, body: { status: 400, detail: "no", errors } } });
  const client = { "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN" };
  const data: Cluster = { ...STORED, client, secret_names: [key] };
  await renderWithAddress(<ClusterEditor stored={{ data, etag: "1" }} />);

  await screen.findByText(/^Stored secrets stay unless you enter others: sasl\.jaas\.config\./);
  fireEvent.change(screen.getByLabelText(/^Bootstrap servers/), { target: { value: "other:9092" } });
  fireEvent.click(screen.getByRole("button", { name: "Test the connection" }));
  await screen.findByText(detail);
  const password = screen.getByLabelText("Password");
  expect(password.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByLabelText("User name").getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByLabelText("Login configuration").getAttribute("aria-invalid")).not.toBe("true");
  expect(screen.queryByText("A login is stored; leave empty to keep it")).toBeNull();
  fireEvent.change(password, { target: { value: "hush" } });
  expect(screen.queryByText(detail)).toBeNull();
});

test("a reason of the service goes with the value that it refuses, and an invalid form cannot be added anyway", async () => {
  const taken = { field: "alias", detail: "There is a cluster east already." };
  const foo = { field: "client.foo", detail: "This is no client setting." };
  const address = { field: "bootstrap", detail: "Expected host:port, found b1." };
  const invalid = (errors: unknown[]) => ({ status: 400, body: { status: 400, detail: "no", errors } });
  const answers = {
    "/clusters/test": { status: 200, body: { ...REPORT, ok: true, problem: "" } } as Answer,
    "/clusters": invalid([taken]),
  };
  answerWith(answers);
  await renderWithAddress(<ClusterEditor />);
  const alias = await screen.findByLabelText(/^Alias/);
  const bootstrap = screen.getByLabelText(/^Bootstrap servers/);
  const others = screen.getByLabelText(/^Other client settings/);
  fireEvent.change(alias, { target: { value: "east" } });
  fireEvent.change(bootstrap, { target: { value: "b1:9092" } });
  fireEvent.click(screen.getByRole("button", { name: "Add the cluster" }));
  await screen.findByText(taken.detail);

  fireEvent.change(alias, { target: { value: "west" } });
  expect(screen.queryByText(taken.detail)).toBeNull();
  expect(screen.queryByText(/Some fields are not valid/)).toBeNull();
  answerWith({ ...answers, "/clusters/test": invalid([foo, address]) });
  fireEvent.change(others, { target: { value: "foo=1" } });
  fireEvent.click(screen.getByRole("button", { name: "Add the cluster" }));
  await screen.findByText(`foo: ${foo.detail}`);
  screen.getByText(address.detail);
  expect(others.getAttribute("aria-invalid")).toBe("true");
  expect(screen.queryByText(/Add it anyway/)).toBeNull();
  fireEvent.change(others, { target: { value: "" } });
  expect(screen.queryByText(`foo: ${foo.detail}`)).toBeNull();
  screen.getByText(address.detail);
});
