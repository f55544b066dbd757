import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { KnownKey, Property } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Check } from "@/components/form/Check";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import type { CellColumn } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { KeyedTable, KeyName } from "@/features/configuration/KeyedTable";
import { KeyDetail } from "@/features/configuration/keys/KeyDetail";
import { effectWord, hasEffect, settersOf } from "@/features/configuration/properties/keys";
import { keysQuery, propertiesQuery } from "@/features/configuration/requests";
import { plainText } from "@/lib/words";

const PAGE = 100;

/** Every known key with type, default and description; a key opens who sets it and its value in each flow. */
export function KeysPage() {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const { data: stored } = useQuery(propertiesQuery);
  const search = useSearch({ from: "/configuration" });
  const navigate = useNavigate();
  const change = (query: object) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, ...query }),
      replace: true,
      resetScroll: false,
    });
  const view = useTableView("keys", KEY_COLUMNS, "");
  const all = useMemo(
    () =>
      withForeign(keys ?? [], search.key).map(
        (key): SetKey => ({ ...key, setters: settersOf(key.key, stored?.properties ?? []) }),
      ),
    [keys, search.key, stored],
  );
  const idle = all.filter(({ effect }) => !hasEffect(effect)).length;
  const shown = all.filter(
    (key) => matches(key, search.q ?? "") && (search.effect === undefined || !hasEffect(key.effect)),
  );
  return (
    <Card
      title="Keys"
      note={keys && `${shown.length} of ${keys.length}`}
      tools={
        <>
          <ListFilter label="Key or description" value={search.q ?? ""} onChange={(q) => change({ q })} />
          <ColumnMenu {...view} />
          <ListCommands list="keys" filters={{ q: search.q }} />
        </>
      }
    >
      {keys === undefined && error === null && <LoadingRows rows={8} label="Loading the keys" />}
      {keys === undefined && error !== null && (
        <ErrorState what="The keys" error={error} onRetry={() => void refetch()} />
      )}
      {keys !== undefined && (
        <div className="config-checks">
          <Check
            label={`Only the ${idle} without effect`}
            isChecked={search.effect === "none"}
            onChange={(isChecked) => change({ effect: isChecked ? "none" : undefined })}
          />
        </div>
      )}
      {keys !== undefined && shown.length === 0 && (
        <NoMatch
          title="No key matches the filter"
          onClear={() => change({ q: undefined, effect: undefined })}
        />
      )}
      {shown.length > 0 && (
        <KeyedTable
          view={view}
          rows={shown}
          rowId={({ owner, key }) => `${owner} ${key}`}
          page={PAGE}
          details={(known) => <KeyDetail known={known} setters={known.setters} />}
        />
      )}
    </Card>
  );
}

/** The open key comes first if the table does not have it, as it is unknown or has a prefix. */
function withForeign(keys: readonly KnownKey[], wanted: string | undefined): readonly KnownKey[] {
  if (wanted === undefined || keys.length === 0) return keys;
  const isThere = (key: KnownKey) => key.key === wanted || key.old_spellings.includes(wanted);
  const found = keys.filter((key) => isThere(key) || key.key.endsWith(`.${wanted}`));
  if (found.some(isThere)) return [...found.filter(isThere), ...keys.filter((key) => !isThere(key))];
  const base = found[0];
  const foreign: KnownKey =
    base === undefined
      ? { ...UNKNOWN_KEY, key: wanted }
      : { ...base, key: wanted, owner: found.map(({ owner }) => owner).join(", ") };
  return [foreign, ...keys];
}

const UNKNOWN_KEY: KnownKey = {
  key: "",
  owner: "unknown",
  kind: "text",
  allowed: "anything",
  effect: "unknown",
  levels: [],
  default: null,
  choices: [],
  description: "",
  why: "No Kafka client and no part of the replication uses this key.",
  change: null,
  is_secret: false,
  old_spellings: [],
};

function matches({ key, description, why, owner }: KnownKey, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return [key, description, why, owner].some((text) => text.toLowerCase().includes(wanted));
}

interface SetKey extends KnownKey {
  /** the properties that set the key */
  setters: readonly Property[];
}

const KEY_COLUMNS: readonly CellColumn<SetKey>[] = [
  {
    id: "key",
    label: "Key",
    value: ({ key }) => key,
    cell: ({ key }) => (
      <KeyName name={key}>
        <NameText name={key} />
      </KeyName>
    ),
  },
  {
    id: "type",
    label: "Type",
    value: ({ kind }) => kind,
    cell: ({ kind }) => kind,
    className: "wide-only",
    cellClass: "muted",
  },
  {
    id: "default",
    label: "Default",
    value: (known) => known.default,
    cell: (known) =>
      known.default === null ? (
        <span className="muted">none</span>
      ) : (
        <code className="config-value">{known.default || "empty"}</code>
      ),
    className: "wide-only",
  },
  {
    id: "description",
    label: "Description",
    value: ({ description, why }) => description || why,
    cell: (known) => <KeyText known={known} />,
    className: "key-description",
    cellClass: "key-text",
  },
  {
    id: "set",
    label: "Set",
    hint: "The number of properties that set the key",
    value: ({ setters }) => setters.length,
    isNumber: true,
    cell: ({ setters }) => (setters.length === 0 ? <span className="muted">0</span> : setters.length),
  },
];

function KeyText({ known: { effect, description, why } }: { known: KnownKey }) {
  const word = effectWord(effect);
  return (
    <>
      {word !== undefined && <StateBadge tone={effect === "unknown" ? "warn" : "idle"} word={word} />}{" "}
      {plainText(description || why)}
    </>
  );
}
