import { afterEach, describe, expect, test, vi } from "vitest";
import { sameFlow } from "@/features/new-flow/commands";
import {
  copyTime_ms,
  definitionOf,
  EMPTY_FLOW,
  firstOpenStep,
  policyOf,
  stepErrors,
  throttleOf,
} from "@/features/new-flow/flow-form";
import { setZone } from "@/lib/time";

const FORM = { ...EMPTY_FLOW, source: "a", target: "b", topicsAllow: "orders.*\npayments" };

afterEach(() => {
  setZone("local");
  vi.unstubAllEnvs();
});

describe("the wizard of a new flow", () => {
  test("a flow needs two clusters", () => {
    expect(stepErrors(0, { ...EMPTY_FLOW, source: "a", target: "a" })).toEqual({
      target: "A flow needs two clusters.",
    });
  });

  test("a flow that exists is not created again", () => {
    const flows = [{ source: "a", target: "b" }];
    expect(stepErrors(0, FORM, flows)).toEqual({ target: "This flow exists already." });
    expect(firstOpenStep(FORM, flows)).toBe(0);
    expect(stepErrors(0, { ...FORM, target: "c" }, flows)).toEqual({});
  });

  test("the owner and the labels are part of the flow only if they are given", () => {
    const form = { ...FORM, owner: " ann ", labels: "team=payments", criticality: "high" } as const;
    const wanted = definitionOf(form);
    expect(wanted).toMatchObject({ owner: "ann", labels: { team: "payments" }, criticality: "high" });
    expect(sameFlow(wanted, null).command).toMatch(/ --label team=payments --owner ann --criticality high$/);
    expect(Object.keys(definitionOf(FORM))).not.toContain("owner");
    expect(stepErrors(4, { ...FORM, runbook: "ftp://x" })).toEqual({
      runbook: "Enter an http or https address.",
    });
  });

  test("opens at the first step that is not complete", () => {
    expect(firstOpenStep(EMPTY_FLOW)).toBe(0);
    expect(firstOpenStep({ ...FORM, topicsAllow: " " })).toBe(1);
    expect(firstOpenStep({ ...FORM, throttle: "fast" })).toBe(3);
    expect(firstOpenStep(FORM)).toBe(4);
  });

  test.each([
    [{ separator: " 🚀/" }, "separator", /letters, digits/],
    [{ separator: "" }, "separator", /Enter/],
    [{ separator: "-".repeat(248) }, "separator", /249/],
    [{ policy: "template", template: "dr" }, "template", /once/],
    [{ policy: "template", template: "{topic} of {source}" }, "template", /letters, digits/],
    [{ policy: "template", template: "{topic}" }, "template", /Same name/],
  ] as const)(
    "a naming that Kafka refuses keeps the step of the topics open: %o",
    (change, field, reason) => {
      const form = { ...FORM, ...change };
      expect(stepErrors(1, form)).toEqual({ [field]: expect.stringMatching(reason) });
      expect(firstOpenStep(form)).toBe(1);
    },
  );

  test("sends only the parts of the naming that its kind has", () => {
    expect(policyOf(FORM)).toEqual({ kind: "default", separator: "." });
    expect(policyOf({ ...FORM, policy: "identity" })).toEqual({ kind: "identity" });
    expect(policyOf({ ...FORM, policy: "template" })).toEqual({
      kind: "template",
      template: "{source}.{topic}",
    });
  });

  test.each([
    ["utc", 3],
    ["local", 8],
  ] as const)("a start time is in the zone of the page (%s), and empty fields are not sent", (zone, hour) => {
    vi.stubEnv("TZ", "America/Bogota");
    setZone(zone);
    const wanted = definitionOf({ ...FORM, start: "time", startTime: "2026-01-02T03:04:05" });
    expect(wanted).toMatchObject({
      start: Date.UTC(2026, 0, 2, hour, 4, 5),
      topics_allow: ["orders.*", "payments"],
    });
    expect(wanted).not.toHaveProperty("tasks_max");
  });

  test("a throttle is typed in MB/s", () => {
    expect(throttleOf({ ...FORM, throttle: "2.5" })).toBe(2_500_000);
    expect(throttleOf(FORM)).toBeNull();
  });

  test("the time of the first copy is not guessed without its bytes", () => {
    expect(copyTime_ms(10_000_000, 1_000_000)).toBe(10_000);
    expect(copyTime_ms(null, 1_000_000)).toBeNull();
  });
});

describe("the same by hand", () => {
  const form = {
    ...EMPTY_FLOW,
    source: "us-west",
    target: "eu-central",
    topicsAllow: "orders.*\npayments",
    groupsAllow: ".*",
    policy: "identity" as const,
    tasks: "4",
  };

  test("names the properties that are not the defaults", () => {
    expect(sameFlow(definitionOf(form), null).command).toBe(
      "srm-control flows create 'us-west->eu-central' --set 'topics=orders.*,payments' --set 'groups=.*' " +
        "--set replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy --set tasks.max=4",
    );
  });

  test("needs three requests and no command for a throttled flow", () => {
    const { command, request } = sameFlow(definitionOf(form), 5_000_000);
    expect(command).toBeNull();
    const [create, throttle, resume] = request.split("\n");
    expect(create).toContain('"paused":true');
    expect(throttle).toMatch(/^curl -X PUT .*us-west\/eu-central\/throttle.*"bytes_per_second":5000000/);
    expect(resume).toContain('"action":"resume"');
  });
});
