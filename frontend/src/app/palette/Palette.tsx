import "@/app/palette/palette.css";
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { usePreferences } from "@/api/personal";
import { driversQuery, type FlowAddress, meQuery, searchQuery } from "@/api/queries";
import { searchedText } from "@/app/palette/actions";
import type { Place } from "@/app/palette/place";
import { findPlaces } from "@/app/palette/places";
import { SHORTCUTS } from "@/app/palette/shortcuts";
import { useUncopied } from "@/app/palette/useUncopied";
import type { ConfigurationSearch } from "@/app/router";
import { Dialog } from "@/components/dialog/Dialog";
import type { WantedDriverOrder } from "@/features/drivers/DriverOrderForm";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import type { RangeSearch } from "@/lib/range";
import { recentFlows } from "@/lib/stored/recent";
import { useLiveStore, useSettledFlows } from "@/live/context";

interface PaletteProps {
  /** typed before the palette was there */
  early: RefObject<string>;
  onClose: () => void;
  onHelp: () => void;
  onOrder: OpenOrder;
  onAudit: (flow: FlowAddress) => void;
  onDriver: (wanted: WantedDriverOrder) => void;
}

const WAIT_MS = 150;

/** Goes to what a place names, and closes the palette. */
function useChoice({
  onClose,
  onHelp,
  onOrder,
  onAudit,
  onDriver,
}: Omit<PaletteProps, "early">): (place: Place) => void {
  const navigate = useNavigate();
  const store = useLiveStore();
  const { toggleColorScheme } = useMantineColorScheme();
  return ({ target }) => {
    if (target.to === "shortcuts") return onHelp();
    onClose();
    if (target.to === "live") store.setPaused(!store.isPaused());
    else if (target.to === "theme") toggleColorScheme();
    else if (target.to === "reference") window.location.assign("/swagger/");
    else if (target.to === "order") {
      const { source, target: other, kind, topic } = target;
      const scope = topic === undefined ? undefined : { topic, partition: null };
      onOrder({ flow: { source, target: other }, kind, scope });
    } else if (target.to === "driver") {
      onDriver({ driver: target.driver, order: target.order });
    } else if (target.to === "audit") onAudit({ source: target.source, target: target.target });
    else goTo(navigate, target);
  };
}

type Navigate = ReturnType<typeof useNavigate>;
type PageTarget = Exclude<
  Place["target"],
  { to: "live" | "shortcuts" | "theme" | "reference" | "order" | "audit" | "driver" }
>;

function goTo(navigate: Navigate, target: PageTarget): void {
  const keepRange = ({ from, to }: RangeSearch) => ({ from, to });
  if (target.to === "/drivers/$id") {
    const { to, id } = target;
    void navigate({ to, params: { id }, search: keepRange });
  } else if (target.to === "/clusters/$alias") {
    const { to, alias } = target;
    void navigate({ to, params: { alias }, search: keepRange });
  } else if (target.to === "/replications/$source/$target/topics/$topic") {
    const { to, ...params } = target;
    void navigate({ to, params, search: keepRange });
  } else if (target.to === "/replications/$source/$target") {
    const { to, source, target: other } = target;
    const params = { source, target: other };
    const part = partOf(target);
    void navigate({ to, params, search: (before) => ({ ...keepRange(before), ...part }) });
  } else {
    const { to, key } = target;
    const keepDraft = ({ draft }: ConfigurationSearch) => (to.startsWith("/configuration") ? { draft } : {});
    void navigate({ to, search: (before) => ({ ...keepRange(before), ...keepDraft(before), key, q: key }) });
  }
}

/** The tab of a flow and its filters. */
function partOf(target: Extract<PageTarget, { to: "/replications/$source/$target" }>) {
  if ("topic" in target) return { tab: "topics" as const, topic: target.topic, state: target.state };
  return target.group === undefined ? {} : { tab: "groups" as const, group: target.group };
}

/** Keys that are pressed before the field has the focus belong to it, too. */
function useKeysOf(field: RefObject<HTMLInputElement | null>, onKey: (key: string) => void): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
      if (document.activeElement === field.current) return;
      event.preventDefault();
      event.stopPropagation();
      field.current?.focus();
      onKey(event.key);
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, [field, onKey]);
}

/** The command palette: flows, topics by both names, groups, clusters, keys, pages and actions. */
export default function Palette(props: PaletteProps) {
  const [typed, setTyped] = useState(() => props.early.current);
  const field = useRef<HTMLInputElement>(null);
  const [addKey] = useState(() => (key: string) => setTyped((before) => before + key));
  // What is typed while the palette renders is in none of its states yet.
  useEffect(() => setTyped(props.early.current), [props.early]);
  useKeysOf(field, addKey);
  const [active, setActive] = useState<string | null>(null);
  const [asked] = useDebouncedValue(typed.trim(), WAIT_MS);
  const flows = useSettledFlows() ?? [];
  const hits = useQuery(searchQuery(searchedText(asked)));
  const isCurrent = asked === typed.trim() && asked.length >= 2;
  const [{ pinned_flows }] = usePreferences();
  const [recent] = useState(recentFlows);
  const { data: me } = useQuery(meQuery);
  const found = isCurrent ? (hits.data?.items ?? []) : [];
  const { data: drivers } = useQuery(driversQuery);
  const own = { pinned: pinned_flows, recent };
  const uncopied = useUncopied(flows, own, searchedText(asked));
  const topics = isCurrent ? uncopied.topics : [];
  const places = findPlaces(typed, flows, found, own, me?.permissions, drivers?.items, topics);
  // Results that arrive later do not move the choice to another row.
  const chosen = Math.max(
    0,
    places.findIndex(({ id }) => id === active),
  );
  const choose = useChoice(props);
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const place = places[chosen];
    if (step !== undefined && places.length > 0)
      setActive(places[(chosen + step + places.length) % places.length]?.id ?? null);
    else if (event.key === "Enter" && place !== undefined) choose(place);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Search" onClose={props.onClose}>
      <div className="palette-field">
        <IconSearch size={18} aria-hidden />
        <input
          ref={field}
          data-autofocus
          type="text"
          role="combobox"
          aria-label="Search flows, topics, groups, clusters, keys and pages"
          aria-expanded={places.length > 0}
          aria-controls="palette-places"
          aria-activedescendant={places.length > 0 ? `palette-${chosen}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="Find a flow, topic or page"
          value={typed}
          onKeyDown={press}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setActive(null);
          }}
        />
      </div>
      <Places places={places} chosen={chosen} onChoose={choose} />
      <p className="palette-note" role="status">
        <Note
          typed={typed}
          count={places.length}
          isFailed={hits.isError}
          isWaiting={!isCurrent || hits.isPending || uncopied.isWaiting}
          isPartial={uncopied.isFailed}
        />
      </p>
    </Dialog>
  );
}

const isShortcut = (note: string) => SHORTCUTS.some(({ keys }) => keys === note);

interface PlacesProps {
  places: readonly Place[];
  chosen: number;
  onChoose: (place: Place) => void;
}

function Places({ places, chosen, onChoose }: PlacesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#palette-${chosen}`)?.scrollIntoView?.({ block: "nearest" });
  }, [chosen]);
  return (
    <div ref={list} id="palette-places" className="palette-places" role="listbox" aria-label="Results">
      {places.map((place, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys of the list
        // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus
        <div
          key={place.id}
          id={`palette-${at}`}
          role="option"
          aria-selected={at === chosen}
          className="palette-place"
          onClick={() => onChoose(place)}
        >
          <span className="palette-kind">{places[at - 1]?.group === place.group ? "" : place.group}</span>
          <span className="palette-label">{place.label}</span>
          <span className="palette-aside" data-keys={isShortcut(place.note) || undefined}>
            {place.note}
          </span>
        </div>
      ))}
    </div>
  );
}

interface NoteProps {
  typed: string;
  count: number;
  isFailed: boolean;
  isWaiting: boolean;
  /** topics that are not copied are missing */
  isPartial: boolean;
}

function Note({ typed, count, isFailed, isWaiting, isPartial }: NoteProps) {
  if (isFailed) return "Topics, groups and keys could not be searched; the rest of the list is complete.";
  if (typed.trim().length < 2)
    return "Topics are found by their name on the source or on the target, with two letters or more.";
  if (isWaiting) return "Searching…";
  if (isPartial) return "Topics that a flow does not copy could not be searched in every flow.";
  return count === 0 ? `Nothing matches “${typed.trim()}”.` : "";
}
