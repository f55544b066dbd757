import "@/features/clusters/clusters.css";
import type { ConnectionReport, TestedBroker, TestedStep } from "@/api/types";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { CertificateBadge } from "@/features/clusters/CertificateBadge";
import { plural } from "@/lib/format";
import type { Tone } from "@/lib/status";
import { duration } from "@/lib/time";

const STEP_WORDS: Record<TestedStep["name"], string> = {
  name: "Name",
  tcp: "TCP",
  tls: "TLS",
  protocol: "Kafka protocol",
  sasl: "Login (SASL)",
  metadata: "Metadata",
  rights: "Rights",
};
const STATE_TONES: Record<TestedStep["state"], Tone> = { ok: "ok", failed: "bad", not_reached: "idle" };
const STATE_WORDS: Record<TestedStep["state"], string> = {
  ok: "Ok",
  failed: "Failed",
  not_reached: "Not reached",
};
/** The steps of a connection test, broker by broker. */
export function ConnectionCard({ report }: { report: ConnectionReport }) {
  const failed = report.brokers.filter((broker) => !broker.ok).length;
  const brokers = plural(report.brokers.length, "broker");
  const answered = report.ok
    ? `${brokers} answered in ${report.took_ms < 1_000 ? "less than 1 s" : duration(report.took_ms)}`
    : `${failed} of ${brokers} failed`;
  // settings that cannot be used: no broker was asked
  const note = report.brokers.length === 0 ? undefined : answered;
  // the broker below tells it with its remedy
  const isTold = report.brokers.some(({ steps }) => steps.some(({ state }) => state === "failed"));
  return (
    <Card title="Connection test" note={note}>
      <div role="status" className="card-body connection">
        <StateBadge
          tone={report.ok ? "ok" : "bad"}
          word={report.ok ? "Every step succeeded" : "The test failed"}
        />
        {!isTold && (report.error || report.problem) && (
          <p className="connection-problem">{report.error || report.problem}</p>
        )}
        {report.warning && <p className="connection-problem">{report.warning}</p>}
        {report.cluster_id !== null && (
          <p className="muted">
            Cluster id <code>{report.cluster_id}</code>
          </p>
        )}
        {report.untested > 0 && (
          <p className="muted">
            {plural(report.untested, "more broker")} not tested: one test covers only so many.
          </p>
        )}
      </div>
      {report.brokers.map((broker) => (
        <Broker key={`${broker.address} ${broker.origin}`} broker={broker} />
      ))}
    </Card>
  );
}

function Broker({ broker }: { broker: TestedBroker }) {
  return (
    <section className="connection-broker" aria-label={`Broker ${broker.address}`}>
      <h3>
        <code>{broker.address}</code>
        <span className="tag">{broker.origin === "bootstrap" ? "bootstrap" : "named by the cluster"}</span>
        {broker.kafka_version !== null && <span className="tag">Kafka {broker.kafka_version}</span>}
        {broker.ip_addresses.length > 0 && (
          <span className="connection-ip">{broker.ip_addresses.join(", ")}</span>
        )}
      </h3>
      <ol className="connection-steps">
        {broker.steps.map((step) => (
          <li key={step.name} data-state={step.state}>
            <span className="connection-step">
              {STEP_WORDS[step.name]}
              {step.took_ms !== null && <span className="connection-time">{step.took_ms} ms</span>}
            </span>
            <StateBadge tone={STATE_TONES[step.state]} word={STATE_WORDS[step.state]} />
            {step.text && step.state !== "failed" && <p>{step.text}</p>}
          </li>
        ))}
      </ol>
      {broker.steps
        .filter(({ state }) => state === "failed")
        .map((step) => (
          <div key={step.name} className="connection-failure">
            {step.text && (
              <p>
                <strong>{STEP_WORDS[step.name]}:</strong> {step.text}
              </p>
            )}
            {step.remedy && (
              <p>
                <strong>Remedy:</strong> {step.remedy}
              </p>
            )}
          </div>
        ))}
      {broker.certificate !== null && <CertificateFacts certificate={broker.certificate} />}
      {broker.rights.some((right) => right.allowed !== true) && (
        <ul className="connection-rights">
          {broker.rights
            .filter((right) => right.allowed !== true)
            .map((right) => (
              <li key={`${right.operation} ${right.resource}`}>
                <StateBadge
                  tone={right.allowed === null ? "idle" : "bad"}
                  word={right.allowed === null ? "Not known" : "Missing"}
                />{" "}
                {right.operation} on {right.resource}: {right.text}
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}

function CertificateFacts({ certificate }: { certificate: NonNullable<TestedBroker["certificate"]> }) {
  return (
    <dl className="connection-certificate">
      <div>
        <dt>Certificate of</dt>
        <dd>{certificate.subject}</dd>
      </div>
      <div>
        <dt>Issued by</dt>
        <dd>{certificate.issuer}</dd>
      </div>
      <div>
        <dt>Names</dt>
        <dd>
          {certificate.names.join(", ")}{" "}
          {!certificate.hostname_matches && <StateBadge tone="bad" word="Another name" />}
        </dd>
      </div>
      <div>
        <dt>Valid</dt>
        <dd>
          <Timestamp time_ms={certificate.not_before_ms} /> to{" "}
          <Timestamp time_ms={certificate.not_after_ms} />{" "}
          <CertificateBadge until_ms={certificate.not_after_ms} />
        </dd>
      </div>
    </dl>
  );
}
