import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Cluster, ConnectionReport } from "@/api/types";
import { Card } from "@/components/Card";
import { Fact } from "@/components/definition/Fact";
import { RunbookLink } from "@/components/description/RunbookLink";
import { Figure } from "@/components/Figure";
import { NameList } from "@/components/NameText";
import { Timestamp } from "@/components/Timestamp";
import { LabelTags } from "@/components/table/LabelTags";
import { CertificateBadge } from "@/features/clusters/CertificateBadge";
import { count } from "@/lib/format";

/** The addresses that the cluster named for its brokers, or else those of the bootstrap brokers. Pure. */
function brokersOf({ brokers }: ConnectionReport): string[] {
  const named = brokers.filter(({ origin }) => origin !== "bootstrap");
  return [...new Set((named.length > 0 ? named : brokers).map(({ address }) => address))];
}

/** What is known of a cluster at a glance; with the report of a connection test, also its brokers. */
export function ClusterFacts({
  cluster,
  report,
}: {
  cluster: Cluster;
  report: ConnectionReport | undefined;
}) {
  return (
    <dl className="facts">
      <Fact name="Brokers" term="brokers">
        <Figure value={cluster.brokers} as={count} />
        {report !== undefined && (
          <span className="fact-note">
            <NameList names={brokersOf(report)} />
          </span>
        )}
      </Fact>
      <Fact name="Kafka" term="kafka_release">
        {cluster.kafka_version ?? <span className="muted">not known yet</span>}
      </Fact>
      <Fact name="Certificate" term="certificate">
        {cluster.certificate_until_ms === null ? (
          <span className="muted">none presented</span>
        ) : (
          <>
            until <Timestamp time_ms={cluster.certificate_until_ms} />{" "}
            <CertificateBadge until_ms={cluster.certificate_until_ms} />
          </>
        )}
      </Fact>
      <Fact name="Location" term="location">
        {cluster.location === "external" ? "External" : "Co-located"}
      </Fact>
      <Fact name="Cluster id" term="cluster_id">
        {cluster.cluster_id === null ? (
          <span className="muted">not known yet</span>
        ) : (
          <span className="fact-id">{cluster.cluster_id}</span>
        )}
      </Fact>
      <Fact name="Checked" term="checked">
        {cluster.checked_ms === null ? (
          <span className="muted">not yet</span>
        ) : (
          <Timestamp time_ms={cluster.checked_ms} />
        )}
      </Fact>
      <Fact name="Owner">{cluster.owner || <span className="muted">none</span>}</Fact>
      <Fact name="Criticality" term="criticality">
        {cluster.criticality}
      </Fact>
      <Fact name="Runbook">
        <RunbookLink runbook={cluster.runbook} />
      </Fact>
      <Fact name="Labels">
        {Object.keys(cluster.labels).length === 0 ? (
          <span className="muted">none</span>
        ) : (
          <LabelTags labels={cluster.labels} />
        )}
      </Fact>
    </dl>
  );
}

/** The client settings of a cluster; secrets only by name. */
export function ClusterSettings({ cluster }: { cluster: Cluster }) {
  return (
    <Card
      title="Connection settings"
      tools={
        <Link
          to="/configuration"
          search={({ from, to }) => ({ from, to, at: `cluster:${cluster.alias}` })}
          className="card-link"
        >
          All properties of {cluster.alias}
        </Link>
      }
    >
      <dl className="settings-list">
        <dt>
          <code>bootstrap.servers</code>
        </dt>
        <dd>
          <NameList names={cluster.bootstrap} />
        </dd>
        {Object.entries(cluster.client).map(([key, value]) => (
          <Setting key={key} name={key}>
            {value}
          </Setting>
        ))}
        {cluster.secret_names.map((key) => (
          <Setting key={key} name={key}>
            <span className="tag">secret, stored</span>
          </Setting>
        ))}
      </dl>
    </Card>
  );
}

function Setting({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>{children}</dd>
    </>
  );
}
