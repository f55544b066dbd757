/** Made-up clusters and connection tests for pictures and browser tests: same shapes as the service. */
import type { Cluster, ConnectionReport, TestedBroker } from "../src/api/types.ts";
import { aliases } from "./fleet.ts";

const DAY_MS = 86_400_000;

export function clusterOf(alias: string): Cluster {
  const isReachable = alias !== "us-west";
  const place = Math.max(0, aliases().indexOf(alias));
  return {
    alias,
    bootstrap: [`b1.${alias}.example:${9093 + place}`, `b2.${alias}.example:${9093 + place}`],
    client: {
      "security.protocol": "SASL_SSL",
      "sasl.mechanism": "SCRAM-SHA-512",
      "ssl.truststore.location": `/etc/srm/${alias}.jks`,
    },
    secret_names: ["sasl.jaas.config"],
    location: alias === "analytics" ? "external" : "colocated",
    problem: "",
    reachable: isReachable,
    error: isReachable ? null : `b1.${alias}.example:${9093 + place}: no answer to TCP within 3 s`,
    cluster_id: isReachable ? "Vq3kSLnUQ0mRzCB2Yc0lUw" : null,
    brokers: isReachable ? 3 : null,
    kafka_version: isReachable ? "4.1" : null,
    warning: "",
    certificate_until_ms: Date.now() + 15 * DAY_MS,
    checked_ms: Date.now() - 4_000,
    labels: { team: "payments", region: alias.split("-")[0] ?? alias },
    owner: "platform",
    criticality: "high",
    runbook: `https://runbooks.example/${alias}`,
  };
}

function brokerOf(address: string, failed: TestedBroker["failed_step"], now_ms: number): TestedBroker {
  const names = ["name", "tcp", "tls", "protocol", "sasl", "metadata", "rights"] as const;
  const place = failed === null ? names.length : names.indexOf(failed);
  return {
    address,
    origin: "bootstrap",
    ok: failed === null,
    failed_step: failed,
    ip_addresses: [address.startsWith("b1.") ? "10.1.4.17" : "10.1.4.18"],
    kafka_version: "4.1",
    certificate: {
      subject: `CN=${address.split(":")[0]}`,
      issuer: "CN=Example Internal CA 2",
      names: [address.split(":")[0] ?? address, "*.us-east.example"],
      not_before_ms: now_ms - 350 * DAY_MS,
      not_after_ms: now_ms + 15 * DAY_MS,
      days_left: 15,
      hostname_matches: true,
    },
    rights:
      failed === null
        ? [
            { operation: "read", resource: "topics", allowed: true, text: "the principal reads all topics" },
            {
              operation: "create",
              resource: "cluster",
              allowed: null,
              text: "not on the cluster; brokers do not report the right to create topics with a prefix",
            },
          ]
        : [],
    steps: names.map((name, at) => ({
      name,
      state: at < place ? "ok" : at === place ? "failed" : "not_reached",
      took_ms: at <= place ? 3 + at * 4 : null,
      text: at === place ? "The broker refused the login: invalid credentials." : "",
      remedy: at === place ? "Check the user name and the password in sasl.jaas.config." : "",
    })),
  };
}

export function reportOf(alias: string): ConnectionReport {
  const now_ms = Date.now();
  const [first = "b1:9093", second = "b2:9093"] = clusterOf(alias).bootstrap;
  const isFine = alias !== "us-west";
  return {
    ok: isFine,
    took_ms: 412,
    error: "",
    warning: "",
    problem: isFine
      ? ""
      : `Broker ${second}: step sasl failed. The broker refused the login: invalid credentials. Check the user name and the password in sasl.jaas.config.`,
    cluster_id: "Vq3kSLnUQ0mRzCB2Yc0lUw",
    untested: 0,
    brokers: [brokerOf(first, null, now_ms), brokerOf(second, isFine ? null : "sasl", now_ms)],
  };
}
