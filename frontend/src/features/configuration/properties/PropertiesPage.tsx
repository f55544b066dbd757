import { useMediaQuery } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useMay } from "@/api/personal";
import { clustersQuery, flowsQuery } from "@/api/queries";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Check } from "@/components/form/Check";
import { LinkButton } from "@/components/form/LinkButton";
import { ReasonedButton } from "@/components/form/ReasonedButton";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { byKey, hasEffect } from "@/features/configuration/properties/keys";
import { LevelSelect, LevelTree } from "@/features/configuration/properties/LevelTree";
import { baseOfNode, isBelow, type Row, rowsWith, treeOf } from "@/features/configuration/properties/levels";
import { NewProperty } from "@/features/configuration/properties/NewProperty";
import { PROPERTY_COLUMNS, PropertyTable } from "@/features/configuration/properties/PropertyTable";
import { keysQuery, propertiesQuery } from "@/features/configuration/requests";
import { useDraftRefusal, useOpenDraft } from "@/features/configuration/useDraft";

const NO_TREE = "(width < 960px)";

/** The tree of levels, and the properties at the chosen place. */
export function PropertiesPage() {
  const { data, error, refetch } = useQuery(propertiesQuery);
  const search = useSearch({ from: "/configuration" });
  const navigate = useNavigate();
  const isNarrow = useMediaQuery(NO_TREE);
  const known = useKnown();
  const open = useOpenDraft();
  const changes = open?.draft?.changes;
  const rows = useMemo(
    () => (data === undefined ? [] : rowsWith(data.properties, changes ?? [], known.aliases, data.dialect)),
    [data, changes, known.aliases],
  );
  const nodes = useMemo(() => treeOf(rows, known.aliases, known.flows), [rows, known]);
  if (data === undefined) {
    return (
      <section className="card" aria-label="Properties">
        {error === null && <LoadingRows rows={6} label="Loading the properties" />}
        {error !== null && <ErrorState what="The properties" error={error} onRetry={() => void refetch()} />}
      </section>
    );
  }
  const choose = (at: string | undefined) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, at, key: undefined }),
      resetScroll: false,
    });
  return (
    <div className="config-columns">
      {isNarrow ? (
        <LevelSelect nodes={nodes} total={rows.length} chosen={search.at} onChoose={choose} />
      ) : (
        <LevelTree nodes={nodes} total={rows.length} chosen={search.at} />
      )}
      <PropertiesCard rows={rows} aliases={known.aliases} flows={known.flows} dialect={data.dialect} />
    </div>
  );
}

interface PropertiesCardProps {
  rows: readonly Row[];
  aliases: readonly string[];
  flows: readonly string[];
  dialect: string;
}

function PropertiesCard({ rows, aliases, flows, dialect }: PropertiesCardProps) {
  const search = useSearch({ from: "/configuration" });
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const { data: keys } = useQuery(keysQuery);
  const open = useOpenDraft();
  const draftRefusal = useDraftRefusal(open);
  const table = useMemo(() => byKey(keys ?? []), [keys]);
  const view = useTableView("properties", PROPERTY_COLUMNS, "");
  const mayChange = useMay("flows.change");
  const isRefused = !useMay("flows.change", true);
  const change = (query: object) =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  const shown = rows.filter(
    (row) =>
      isBelow(row, search.at) &&
      matches(row, search.q ?? "") &&
      (search.effect === undefined || !hasEffect(row.property?.effect ?? "")),
  );
  const idle = rows.filter(
    (row) => isBelow(row, search.at) && row.property !== null && !hasEffect(row.property.effect),
  ).length;
  return (
    <Card
      title={titleOf(search.at)}
      note={`${shown.length} of ${rows.length}`}
      className="config-properties"
      tools={
        <>
          <ListFilter label="Key or value" value={search.q ?? ""} onChange={(q) => change({ q })} />
          <ColumnMenu {...view} />
          <ListCommands list="properties" />
          {mayChange && (
            <ReasonedButton
              size="xs"
              variant="default"
              why={draftRefusal}
              aria-expanded={isAdding}
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setAdding(!isAdding)}
            >
              Add a property
            </ReasonedButton>
          )}
        </>
      }
    >
      {(idle > 0 || search.effect !== undefined) && (
        <div className="config-checks">
          <Check
            label={`Only the ${idle} without effect`}
            isChecked={search.effect === "none"}
            onChange={(isChecked) => change({ effect: isChecked ? "none" : undefined })}
          />
        </div>
      )}
      {isRefused && (
        <p className="config-hint">Your role can read the configuration. Changes need the operator role.</p>
      )}
      {isAdding && (
        <NewProperty
          aliases={aliases}
          flows={flows}
          dialect={dialect}
          base={baseOfNode(search.at) ?? ""}
          table={table}
          onClose={() => setAdding(false)}
        />
      )}
      {shown.length > 0 && <PropertyTable rows={shown} all={rows} table={table} view={view} />}
      {shown.length === 0 && (
        <NothingShown
          isEmpty={rows.length === 0}
          mayChange={mayChange}
          onClear={() => change({ q: undefined, effect: undefined, at: undefined })}
        />
      )}
    </Card>
  );
}

function NothingShown(props: { isEmpty: boolean; mayChange: boolean; onClear: () => void }) {
  if (!props.isEmpty) return <NoMatch title="No property matches the filter" onClear={props.onClear} />;
  const action = props.mayChange && (
    <LinkButton size="xs" to="/configuration/transfer">
      Import a file
    </LinkButton>
  );
  return (
    <EmptyState icon={IconAdjustmentsHorizontal} title="Nothing is configured yet" action={action}>
      Import a properties file, or add the first cluster: its properties appear here.
    </EmptyState>
  );
}

function matches({ key, property, change }: Row, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return [key, property?.value, property?.comment, change?.value].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
}

const TITLES: Record<string, string> = {
  global: "Global properties",
  workers: "Properties of workers",
  connectors: "Properties of connectors",
  cluster: "Properties of clusters",
  flow: "Properties of flows",
};

function titleOf(at: string | undefined): string {
  if (at === undefined) return "All properties";
  const [place = "", prefix] = at.split("#");
  const [level = "", name] = place.split(/:(.*)/);
  const title = name === undefined ? (TITLES[level] ?? level) : name.replace("->", " → ");
  return prefix === undefined ? title : `${title}, ${prefix}`;
}

/** The names of all clusters and flows, also of those without a property. */
function useKnown() {
  const { data: clusters } = useQuery(clustersQuery);
  const { data: flows } = useQuery(flowsQuery);
  return useMemo(
    () => ({
      aliases: (clusters?.items ?? []).map(({ alias }) => alias),
      flows: (flows?.flows ?? []).map(({ source, target }) => `${source}->${target}`),
    }),
    [clusters, flows],
  );
}
