import { Button } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, useMemo, useState } from "react";
import type { KnownKey, Property } from "@/api/types";
import { Card } from "@/components/Card";
import { Check } from "@/components/form/Check";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { KeyDetail } from "@/features/configuration/keys/KeyDetail";
import { effectWord, hasEffect, settersOf } from "@/features/configuration/properties/keys";
import { keysQuery, propertiesQuery } from "@/features/configuration/requests";

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
  const all = useMemo(() => withForeign(keys ?? [], search.key), [keys, search.key]);
  const shown = all.filter(
    (key) => matches(key, search.q ?? "") && (search.effect === undefined || !hasEffect(key.effect)),
  );
  return (
    <Card
      title="Keys"
      note={keys && `${shown.length} of ${keys.length}`}
      tools={
        <ListFilter
          label="Search keys and descriptions"
          value={search.q ?? ""}
          onChange={(q) => change({ q })}
        />
      }
    >
      {keys === undefined && error === null && <LoadingRows rows={8} label="Loading the keys" />}
      {keys === undefined && error !== null && (
        <ErrorState what="The keys" error={error} onRetry={() => void refetch()} />
      )}
      {keys !== undefined && (
        <div className="config-checks">
          <Check
            label="Only those without effect here"
            isChecked={search.effect === "none"}
            onChange={(isChecked) => change({ effect: isChecked ? "none" : undefined })}
          />
        </div>
      )}
      {keys !== undefined && shown.length === 0 && (
        <NoMatch
          title="No key matches"
          clear="Show all keys"
          onClear={() => change({ q: undefined, effect: undefined })}
        />
      )}
      {shown.length > 0 && (
        <KeyTable
          keys={shown}
          properties={stored?.properties ?? []}
          opened={search.key}
          onOpen={(key) => change({ key })}
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
  why: "No client and no part of the replication has this key.",
  change: null,
  is_secret: false,
  old_spellings: [],
};

function matches({ key, description, why, owner }: KnownKey, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return [key, description, why, owner].some((text) => text.toLowerCase().includes(wanted));
}

interface KeyTableProps {
  keys: readonly KnownKey[];
  properties: readonly Property[];
  opened: string | undefined;
  onOpen: (key: string | undefined) => void;
}

function KeyTable({ keys, properties, opened, onOpen }: KeyTableProps) {
  const [limit, setLimit] = useState(PAGE);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label="Table of keys" tabIndex={0}>
        <table className="table config-table">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col" className="wide-only">
                Type
              </th>
              <th scope="col" className="wide-only">
                Default
              </th>
              <th scope="col">Description</th>
              <th scope="col" className="numeric">
                Set
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.slice(0, limit).map((key) => (
              <Fragment key={`${key.owner} ${key.key}`}>
                <KeyRow
                  known={key}
                  setters={settersOf(key.key, properties).length}
                  isOpen={key.key === opened}
                  onToggle={() => onOpen(key.key === opened ? undefined : key.key)}
                />
                {key.key === opened && (
                  <tr className="detail-row">
                    <td colSpan={5}>
                      <KeyDetail known={key} setters={settersOf(key.key, properties)} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
      {keys.length > limit && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + PAGE)}>
            Show more keys
          </Button>
        </div>
      )}
    </>
  );
}

interface KeyRowProps {
  known: KnownKey;
  setters: number;
  isOpen: boolean;
  onToggle: () => void;
}

function KeyRow({ known, setters, isOpen, onToggle }: KeyRowProps) {
  const word = effectWord(known.effect);
  return (
    <tr>
      <th scope="row">
        <button type="button" className="expander" aria-expanded={isOpen} onClick={onToggle}>
          <IconChevronRight size={16} aria-hidden />
          <code>
            <NameText name={known.key} />
          </code>
        </button>
      </th>
      <td className="wide-only muted">{known.kind}</td>
      <td className="wide-only">
        {known.default === null ? (
          <span className="muted">none</span>
        ) : (
          <code className="config-value">{known.default || "empty"}</code>
        )}
      </td>
      <td className="key-text">
        {word !== undefined && <StateBadge tone={known.effect === "unknown" ? "warn" : "idle"} word={word} />}{" "}
        {known.description || known.why}
      </td>
      <td className="numeric">{setters === 0 ? <span className="muted">no</span> : setters}</td>
    </tr>
  );
}
