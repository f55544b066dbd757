import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import {
  sameApply,
  sameAudit,
  sameAuditCancel,
  sameCluster,
  sameClusterDelete,
  sameDrain,
  sameRestart,
  sameSync,
  sameUndrain,
} from "@/components/by-hand/actions";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { sameList } from "@/components/by-hand/lists";

const FLOW = { source: "us-east", target: "eu-central" };
const AT = `${window.location.origin}/api/v2`;

test("the command and the request of a list are shown to copy", async () => {
  render(
    <MantineProvider env="test">
      <ListCommands list="groups" flow={FLOW} />
    </MantineProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Command and request of the groups" }));
  expect((await screen.findByRole("region", { name: "Command of srm-control" })).textContent).toBe(
    "srm-control groups status 'us-east->eu-central'",
  );
  expect(screen.getByRole("region", { name: "REST request" }).textContent).toBe(
    `curl '${AT}/replications/us-east/eu-central/groups' -H "Authorization: Bearer $SRM_TOKEN"`,
  );
  expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(2);
});

test("a list that no command prints is read by its path", () => {
  expect(sameList({ list: "tasks", flow: FLOW }).command).toBe(
    "srm-control get 'tasks?source=us-east&target=eu-central'",
  );
  expect(sameList({ list: "stops", flow: FLOW }).command).toBe(
    "srm-control get replications/us-east/eu-central/stops",
  );
  expect(sameList({ list: "pauses", flow: FLOW }).command).toBe(
    "srm-control topics holds 'us-east->eu-central'",
  );
  expect(sameList({ list: "events", flow: FLOW }).command).toBe(
    "srm-control events --source us-east --target eu-central",
  );
  expect(sameList({ list: "flows", side: "target", alias: "eu-central" })).toEqual({
    command: "srm-control flows list --target eu-central",
    request: `curl '${AT}/replications?target=eu-central' -H "Authorization: Bearer $SRM_TOKEN"`,
  });
});

test("actions without a form of an order have their command too", () => {
  expect(sameAudit(FLOW).command).toBe("srm audit 'us-east->eu-central'");
  expect(sameSync(FLOW, []).command).toBe("srm-control groups sync 'us-east->eu-central' --all");
  expect(sameSync(FLOW, ["a", "b"]).command).toContain("--group 'a,b'");
  expect(sameDrain("berlin-1", "new disks").command).toBe(
    "srm-control drivers drain berlin-1 --reason 'new disks'",
  );
  expect(sameRestart("berlin-1", "", 30_000).command).toBe(
    "srm-control drivers restart berlin-1 --grace 30s",
  );
  expect(sameUndrain("berlin-1").command).toBe("srm-control drivers undrain berlin-1");
  expect(sameAuditCancel(FLOW, 7)).toEqual({
    command: "srm audit 'us-east->eu-central' --cancel 7",
    request: `curl -X DELETE ${AT}/replications/us-east/eu-central/audits/7 -H "Authorization: Bearer $SRM_TOKEN"`,
  });
  expect(sameClusterDelete("us-east").command).toBe("srm-control clusters delete us-east");
  const changes = [
    { key: "tasks.max", value: "4" },
    { key: "topics", value: null },
  ];
  expect(sameApply(7, changes, "load").command).toBe(
    "srm-control config set tasks.max=4 --comment load\nsrm-control config unset topics --comment load",
  );
});

test("secrets of a cluster are only named", () => {
  const body = {
    bootstrap: ["us:9092"],
    client: { "client.rack": null, "security.protocol": "SSL" },
    secrets: { "ssl.keystore.key": "private" },
    comment: "",
  };
  const { command, request } = sameCluster("us-east", body, false);
  expect(command).toBe(
    "srm-control clusters change us-east --bootstrap-servers us:9092 --client security.protocol=SSL " +
      "--secret-file ssl.keystore.key=PATH --unset client.rack",
  );
  expect(request).toContain(`curl -X PATCH ${AT}/clusters/us-east`);
  expect(command + request).not.toContain("private");
});
