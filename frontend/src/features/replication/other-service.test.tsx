import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

const SERVICE = "https://srm.eu.example:6670";
const PAGE = `${SERVICE}/replications/us-east/eu-central`;
const PATH = "/replications/us-east/eu-central";

async function openFlow(
  address: string,
  service: string | null,
  permissions = ["flows.read"],
): Promise<void> {
  const me = { username: "bo", role: "operator", permissions: ["flows.act", "flows.change"] };
  const detail = { source: "us-east", target: "eu-central", served_by: null, service, permissions };
  answerWith({ "/me": { status: 200, body: me }, [PATH]: { status: 200, body: detail } });
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ service })]));
  await renderAt(address, store);
}

const tabs = async () =>
  within(await screen.findByRole("navigation", { name: "Parts of us-east to eu-central" }))
    .getAllByRole("link")
    .map(({ textContent }) => textContent);

test("the page of a flow of another service leads to that service and has only what it answers", async () => {
  await openFlow(`${PATH}?tab=orders`, SERVICE);

  const link = await screen.findByRole("link", { name: SERVICE });
  expect(link.getAttribute("href")).toBe(PAGE);
  expect(link.parentElement?.textContent).toBe(
    `Reported by ${SERVICE}. Orders, tasks, groups, events and audits are available there.`,
  );
  expect(await tabs()).toEqual(["Overview", "Topics"]);
  expect(await screen.findByRole("heading", { name: "Throughput" })).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "Control" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Actions" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit owner and labels" })).toBeNull();
});

test("the permissions of a flow narrow those of the role", async () => {
  await openFlow(PATH, null, ["flows.read", "flows.act"]);

  expect(await screen.findByRole("button", { name: "Actions" })).toBeTruthy();
  expect(await screen.findByRole("heading", { name: "Control" })).toBeTruthy();
  expect(await tabs()).toContain("Orders");
  expect(screen.queryByRole("button", { name: "Edit owner and labels" })).toBeNull();
  expect(screen.queryByText(/^Reported by/)).toBeNull();
});

test("the menu of a flow of another service leads there instead of offering orders", async () => {
  await openFlow("/replications", SERVICE);
  await userEvent.click(await screen.findByRole("button", { name: "Actions on us-east to eu-central" }));

  const item = await screen.findByRole("menuitem", { name: /Actions at its service/ });
  expect(item.getAttribute("href")).toBe(PAGE);
  expect(item.textContent).toContain(`Reported by ${SERVICE}`);
  for (const name of [/^Pause/, /^Delete/, /^Edit/, /^Consumer groups/])
    expect(screen.queryByRole("menuitem", { name })).toBeNull();
});
