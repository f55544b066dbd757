import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { EMPTY_FLOW, STEPS } from "@/features/new-flow/flow-form";
import { type Answer, answerWith, renderAt } from "@/test/render";

const FORM = { ...EMPTY_FLOW, source: "us-east", target: "eu-central", topicsAllow: "[unclosed" };
const ME = { username: "ada", role: "operator", permissions: ["flows.change"] };

const showReview = async (plan: Answer) => {
  sessionStorage.setItem("new flow", JSON.stringify(FORM));
  sessionStorage.setItem("new flow, step", JSON.stringify({ step: 4 }));
  answerWith({ "/me": { status: 200, body: ME }, "/config/plan": plan });
  await renderAt("/replications/new");
};

afterEach(() => sessionStorage.clear());

test("a flow that is refused cannot be created, and each reason leads to its step", async () => {
  const findings = [
    { severity: "error", key: "us-east->eu-central.topics", line: null, message: "no end of the class" },
  ];
  const errors = [{ field: "flow.policy.separator", detail: "is too long" }];
  await showReview({ status: 422, body: { status: 422, detail: "no", findings, errors } });

  await screen.findByText(/us-east->eu-central.topics: no end of the class/);
  screen.getByText(/^is too long/);
  expect(screen.getAllByRole("button", { name: "Correct it in step 2: Topics" })).toHaveLength(2);
  expect(screen.getByRole("button", { name: "Create and start" })).toHaveProperty("disabled", true);
  expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
});

test("a person who may not add a cluster reads which role may", async () => {
  answerWith({ "/me": { status: 200, body: ME }, "/clusters": { status: 200, body: { items: [] } } });
  await renderAt("/replications/new");
  await screen.findByText(/Missing a cluster\? Adding clusters needs the admin role/);
});

test("a plan without an answer has a retry", async () => {
  await showReview({ status: 503, body: { status: 503, detail: "no control worker answers" } });

  await screen.findByRole("button", { name: "Retry" });
  expect(screen.getByRole("button", { name: "Create and start" })).toHaveProperty("disabled", false);
});

test("the review asks for the owner and the labels in a part that is closed at first", async () => {
  await showReview({ status: 503, body: { status: 503, detail: "no control worker answers" } });

  const part = (await screen.findByText("Owner and labels")).closest("details");
  expect(part?.open).toBe(false);
  expect(part?.contains(screen.getByLabelText(/^Labels/))).toBe(true);
});

test.each([...STEPS.entries()])(
  "step %i is named by its heading and by the list of steps only",
  async (at, name) => {
    sessionStorage.setItem("new flow", JSON.stringify(FORM));
    sessionStorage.setItem("new flow, step", JSON.stringify({ step: at }));
    answerWith({ "/me": { status: 200, body: ME }, "/clusters": { status: 200, body: { items: [] } } });
    await renderAt("/replications/new");

    await screen.findByRole("heading", { name: `Step ${at + 1} of ${STEPS.length}: ${name}` });
    const headings = screen.getAllByRole("heading").filter(({ textContent }) => textContent?.includes(name));
    expect(headings).toHaveLength(1);
  },
);

test("a flow is discarded after a question only", async () => {
  await showReview({ status: 503, body: { status: 503, detail: "no control worker answers" } });
  fireEvent.click(await screen.findByRole("button", { name: "Discard" }));
  await screen.findByText("This deletes what you entered in all steps.");
  fireEvent.click(screen.getByRole("button", { name: "Keep the flow" }));
  expect(sessionStorage.getItem("new flow")).not.toBeNull();

  fireEvent.click(screen.getByRole("button", { name: "Discard" }));
  fireEvent.click(screen.getByRole("link", { name: "Discard the flow" }));
  await screen.findByRole("heading", { level: 1, name: "Replications" });
  expect(sessionStorage.getItem("new flow")).toBeNull();
});
