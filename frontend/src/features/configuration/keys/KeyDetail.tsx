import { Button } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { reasonOf } from "@/api/problem";
import { type FlowAddress, flowsQuery } from "@/api/queries";
import type { EffectiveValue, KnownKey, Property } from "@/api/types";
import { FlowName } from "@/components/FlowName";
import { NameText } from "@/components/NameText";
import { Chain } from "@/features/configuration/effective/Chain";
import { KeyFacts } from "@/features/configuration/keys/KeyFacts";
import { EffectBadge } from "@/features/configuration/properties/EffectBadge";
import { bareName } from "@/features/configuration/properties/levels";
import { Shown } from "@/features/configuration/properties/PropertyTable";
import { plainText } from "@/lib/words";

const FLOWS_AT_ONCE = 10;
const FRESH_MS = 10_000;

/** A key: its facts, the properties that set it, and the value in force of each flow. */
export function KeyDetail({ known, setters }: { known: KnownKey; setters: readonly Property[] }) {
  return (
    <div className="property-detail">
      {known.description !== "" && <p>{plainText(known.description)}</p>}
      {known.why !== "" && <p>{plainText(known.why)}</p>}
      <KeyFacts known={known} />
      {known.old_spellings.length > 0 && (
        <p className="muted">Also written as {known.old_spellings.join(", ")}</p>
      )}
      <p>
        <strong>Properties that set this key</strong>
      </p>
      {setters.length === 0 && <p className="muted">None</p>}
      {setters.length > 0 && (
        <ul className="setters">
          {setters.map((property) => (
            <li key={property.key}>
              <Link
                to="/configuration"
                search={({ from, to, draft }) => ({ from, to, draft, key: property.key })}
              >
                <code>
                  <NameText name={property.key} />
                </code>
              </Link>
              <Shown value={property.value} />
              <EffectBadge property={property} />
            </li>
          ))}
        </ul>
      )}
      <ValuesOfFlows name={known.key} />
    </div>
  );
}

function ValuesOfFlows({ name }: { name: string }) {
  const { data } = useQuery(flowsQuery);
  const [limit, setLimit] = useState(FLOWS_AT_ONCE);
  const flows = data?.flows ?? [];
  const answers = useQueries({ queries: flows.slice(0, limit).map((flow) => valuesQuery(flow, name)) });
  if (flows.length === 0) return null;
  return (
    <>
      <p>
        <strong>Values in force</strong>
      </p>
      <ul className="flow-values">
        {flows.slice(0, limit).map((flow, place) => (
          <li key={`${flow.source} ${flow.target}`}>
            <Link
              to="/replications/$source/$target"
              params={{ source: flow.source, target: flow.target }}
              search={(before) => ({
                from: before.from,
                to: before.to,
                tab: "configuration",
                key: name,
                defaults: true,
              })}
            >
              <FlowName source={flow.source} target={flow.target} />
            </Link>
            <FlowValues values={answers[place]?.data} error={answers[place]?.error ?? null} />
          </li>
        ))}
      </ul>
      {flows.length > limit && (
        <Button size="xs" variant="default" onClick={() => setLimit(limit + FLOWS_AT_ONCE)}>
          Show more flows
        </Button>
      )}
    </>
  );
}

function FlowValues({
  values,
  error,
}: {
  values: readonly EffectiveValue[] | undefined;
  error: Error | null;
}) {
  if (error !== null) return <span className="muted">{reasonOf(error)}</span>;
  if (values === undefined) return <span className="muted">loading</span>;
  if (values.length === 0) return <span className="muted">the flow does not read it</span>;
  return (
    <div>
      {values.map((value) => (
        <Chain key={`${value.client} ${value.name}`} value={value} showsClient={values.length > 1} />
      ))}
    </div>
  );
}

/** The values of one key for each client of a flow that reads it. */
function valuesQuery({ source, target }: FlowAddress, name: string) {
  const bare = bareName(name);
  return {
    queryKey: ["configuration", "values of", source, target, name],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const params = { path: { source, target }, query: { key: bare, limit: 1_000 } };
      const page = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/effective", { params, signal }),
      );
      return page.items.filter((value) => value.name === name || bareName(value.name) === bare);
    },
    staleTime: FRESH_MS,
  };
}
