import { describe, expect, test } from "vitest";
import type { Cluster } from "@/api/types";
import {
  changeOf,
  definitionOf,
  EMPTY_FORM,
  formErrors,
  formOf,
  withoutSecrets,
} from "@/features/clusters/cluster-form";

const CLUSTER: Cluster = {
  alias: "us-east",
  bootstrap: ["b1:9093", "b2:9093"],
  client: { "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "client.rack": "a" },
  secret_names: ["sasl.jaas.config"],
  location: "external",
  problem: "",
  warning: "",
  reachable: true,
  error: null,
  cluster_id: "abc",
  brokers: 3,
  kafka_version: null,
  certificate_until_ms: null,
  checked_ms: 1,
  labels: { team: "payments" },
  owner: "ann",
  criticality: "high",
  runbook: "",
};

const NEW = { ...EMPTY_FORM, alias: "us-east", bootstrap: "b1:9093, b2:9093" };

describe("the form of a cluster", () => {
  test("a user and a password become a login configuration with quoted values", () => {
    const form = { ...NEW, protocol: "SASL_SSL", mechanism: "PLAIN", user: "ann", password: 'a"b\\c' };
    expect(definitionOf(form).secrets).toEqual({
      "sasl.jaas.config":
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="a\\"b\\\\c";',
    });
  });

  test("without SASL a password that was typed before is not sent", () => {
    const form = { ...NEW, protocol: "PLAINTEXT", mechanism: "PLAIN", user: "ann", password: "secret" };
    expect(definitionOf(form)).toMatchObject({ secrets: {}, client: {}, bootstrap: ["b1:9093", "b2:9093"] });
  });

  test("a secret whose field the protocol does not show is not sent", () => {
    const secrets = { "sasl.jaas.config": "login", "ssl.key.password": "hush" };
    expect(definitionOf({ ...NEW, secrets }).secrets).toEqual({});
    expect(changeOf({ ...formOf(CLUSTER), protocol: "PLAINTEXT", secrets }, CLUSTER).secrets).toEqual({});
    expect(definitionOf({ ...NEW, protocol: "SSL", secrets }).secrets).toEqual({
      "ssl.key.password": "hush",
    });
    expect(definitionOf({ ...NEW, protocol: "SASL_SSL", secrets }).secrets).toEqual(secrets);
  });

  test.each([
    [{ alias: "my cluster 🚀" }, "alias", /^Begin with a letter or digit.*\.$/],
    [{ alias: "" }, "alias", /^Enter/],
    [{ bootstrap: "b1:9093, b2" }, "bootstrap", /found 'b2'\.$/],
    [{ bootstrap: ":9092" }, "bootstrap", /^Write host:port.*found ':9092'\.$/],
    [{ bootstrap: "host:0, host:99999" }, "bootstrap", /found 'host:0', 'host:99999'\.$/],
    [{ runbook: "javascript:alert(1)" }, "runbook", /^Enter an http or https address\.$/],
    [{ others: "client.rack=a\nrack" }, "others", /found 'rack'\.$/],
  ])("what cannot be sent is named at its field: %o", (change, field, reason) => {
    expect(formErrors({ ...NEW, ...change })).toEqual({ [field]: expect.stringMatching(reason) });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference that the service looks up
    expect(formErrors({ ...NEW, bootstrap: "SSL://[::1]:9093\n${env:BROKERS}" })).toEqual({});
  });

  test("an unchanged form of a cluster changes none of its settings and secrets", () => {
    expect(changeOf(formOf(CLUSTER), CLUSTER)).toMatchObject({
      bootstrap: CLUSTER.bootstrap,
      client: CLUSTER.client,
      secrets: {},
      labels: CLUSTER.labels,
    });
  });

  test("settings that are no longer there are removed", () => {
    const form = { ...formOf(CLUSTER), protocol: "PLAINTEXT", others: "" };
    expect(changeOf(form, CLUSTER).client).toEqual({
      "security.protocol": null,
      "sasl.mechanism": null,
      "client.rack": null,
    });
  });

  test("names the fields that cannot be sent", () => {
    expect(formErrors({ ...EMPTY_FORM, labels: "payments" })).toEqual({
      alias: "Enter an alias.",
      bootstrap: "Enter at least one host:port.",
      labels: "Write one key=value a line: found 'payments'.",
    });
  });

  test("secrets are not kept in the browser", () => {
    const kept = withoutSecrets({ ...NEW, password: "hush", secrets: { "ssl.key.password": "hush" } });
    expect(JSON.stringify(kept)).not.toContain("hush");
  });
});
