import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { useMay } from "@/api/personal";
import { answerWith, renderPart } from "@/test/render";

function Rights() {
  const acts = useMay("flows.act");
  const changes = useMay("flows.change");
  const isRefused = !useMay("flows.change", true);
  return <p>{[acts, changes, isRefused].join(" ")}</p>;
}

test("a person may what the service says; until then nothing is allowed, and nothing is refused", async () => {
  answerWith({ "/me": { status: 200, body: { username: "bo", permissions: ["flows.act"] } } });
  renderPart(<Rights />);

  expect(screen.getByText("false false false")).toBeTruthy();
  expect(await screen.findByText("true false true")).toBeTruthy();
});
