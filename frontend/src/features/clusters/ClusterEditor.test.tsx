import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";
import { answerWith, renderWithAddress } from "@/test/render";

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
  expect(screen.queryByText(/^begin with a letter/)).toBeNull();
  fireEvent.blur(alias);
  screen.getByText(/^begin with a letter/);
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
