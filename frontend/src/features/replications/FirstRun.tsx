import "@/features/replications/first-run.css";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useMay } from "@/api/personal";
import { clustersQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { LinkButton } from "@/components/form/LinkButton";
import { ADDING_NEEDS_ADMIN } from "@/components/form/needs";
import { plural } from "@/lib/format";

interface Step {
  title: string;
  text: ReactNode;
  isDone: boolean;
  action?: ReactNode;
}

/** The way from nothing to the first copied record, shown while there is no flow. */
export function FirstRun() {
  const answer = useQuery(clustersQuery);
  return (
    <section className="card first-run" aria-labelledby="first-run">
      <h2 id="first-run">Copy the first record</h2>
      <Answered what="clusters" answer={answer} rows={4}>
        {({ items }) => <Steps clusters={items} />}
      </Answered>
    </section>
  );
}

function reachedText(reached: number, all: number): string {
  return reached === all ? "Every cluster answers." : `${reached} of ${all} clusters answer.`;
}

function Steps({ clusters }: { clusters: readonly Cluster[] }) {
  const mayAdd = useMay("clusters.change");
  const mayNotAdd = !useMay("clusters.change", true);
  const mayTest = useMay("flows.act");
  const mayCreate = useMay("flows.change");
  const isRefused = !useMay("flows.change", true);
  const hasTwo = clusters.length >= 2;
  const untested = clusters.filter(({ reachable }) => reachable !== true);
  const reached = clusters.length - untested.length;
  const isTested = reached >= 2;
  const [next] = untested;
  const steps: Step[] = [
    {
      title: "Add two clusters",
      text: `A source to read from and a target to write to. ${plural(clusters.length, "cluster")} so far.`,
      isDone: hasTwo,
      action: mayAdd ? (
        <LinkButton to="/clusters/new" size="xs" variant={hasTwo ? "default" : "filled"}>
          Add a cluster
        </LinkButton>
      ) : (
        mayNotAdd && !hasTwo && <p>{ADDING_NEEDS_ADMIN}</p>
      ),
    },
    {
      title: "Test the connections",
      text: isTested
        ? reachedText(reached, clusters.length)
        : "Name, TCP, TLS, login and rights of each broker are checked step by step. A flow needs two clusters that answer.",
      isDone: isTested,
      action: mayTest && hasTwo && next !== undefined && (
        <LinkButton
          to="/clusters/$alias"
          params={{ alias: next.alias }}
          size="xs"
          variant={isTested ? "default" : "filled"}
        >
          Test {next.alias}
        </LinkButton>
      ),
    },
    {
      title: "Choose topics",
      text: "Names or patterns, with a preview of what they select and the names of the copies.",
      isDone: false,
      action: mayCreate && isTested && (
        <LinkButton to="/replications/new" size="xs">
          New replication
        </LinkButton>
      ),
    },
    {
      title: "Start",
      text: "The plan names topics to create, missing rights and the data to copy. The first records are on the target within seconds.",
      isDone: false,
    },
  ];
  const now = steps.findIndex(({ isDone }) => !isDone);
  return (
    <>
      <p className="muted">No replication exists yet. Four steps lead to the first one.</p>
      {isRefused && (
        <p className="muted">Your role cannot create flows: ask an administrator for the operator role.</p>
      )}
      <ol>
        {steps.map(({ title, text, isDone, action }, at) => (
          <li key={title} data-done={isDone || undefined} aria-current={at === now ? "step" : undefined}>
            <span className="first-run-mark" aria-hidden>
              {isDone ? <IconCheck size={16} stroke={2.4} /> : at + 1}
            </span>
            <div>
              <h3>
                {title}
                {isDone && <span className="first-run-done">done</span>}
              </h3>
              <p>{text}</p>
              {action}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
