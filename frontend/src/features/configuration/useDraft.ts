/** The open draft, named in the URL, and its changes. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { ApiProblem } from "@/api/problem";
import { meQuery } from "@/api/queries";
import type { CheckedDraft, Draft, PropertyChange } from "@/api/types";
import {
  changeDraft,
  checkValue,
  createDraft,
  deleteDraft,
  draftQuery,
  draftsQuery,
} from "@/features/configuration/requests";
import { clockTime, dayOf } from "@/lib/time";

export interface OpenDraft {
  id: number;
  draft: CheckedDraft | undefined;
  etag: string | null;
  /** it was applied or deleted */
  isGone: boolean;
  /** false: the service has not answered yet since this part of the page was opened */
  isChecked: boolean;
  error: Error | null;
  refetch: () => void;
}

/** The draft of the URL; null: none is open. */
export function useOpenDraft(options: { refetchOnMount?: "always" } = {}): OpenDraft | null {
  const { draft: id } = useSearch({ from: "/configuration" });
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...draftQuery(id ?? 0),
    ...options,
    enabled: id !== undefined,
  });
  if (id === undefined) return null;
  const isGone = error instanceof ApiProblem && error.status === 404;
  return {
    id,
    draft: isGone ? undefined : data?.data,
    etag: data?.etag ?? null,
    isGone,
    isChecked: isFetchedAfterMount,
    error,
    refetch: () => void refetch(),
  };
}

/** Why the open draft must not be changed; null: it may be changed, or there is none yet. */
export function useDraftRefusal(open: OpenDraft | null): string | null {
  const { data: me } = useQuery(meQuery);
  if (open?.draft === undefined || me === undefined || me.role === "admin") return null;
  const { author } = open.draft;
  if (author === me.username) return null;
  return `The open draft belongs to ${author}: only ${author} and admins change it. Close it to begin your own.`;
}

/** True for those who may discard the open draft or move it to another version. */
export function useMayChangeDraft(open: OpenDraft): boolean {
  const refusal = useDraftRefusal(open);
  return useMay("flows.change") && refusal === null;
}

/** The own draft that the next change joins when none is open: a person has one draft in all tabs. */
export function ownDraft(drafts: readonly Draft[], username: string): Draft | undefined {
  const own = drafts.filter(({ author }) => author === username);
  return own.reduce<Draft | undefined>(
    (newest, draft) => (newest === undefined || draft.updated_ms > newest.updated_ms ? draft : newest),
    undefined,
  );
}

/** What storing a change does: it joins a draft, or begins one. */
export function useDraftOrder(open: OpenDraft | null): string {
  const { data: me } = useQuery(meQuery);
  const { data: drafts } = useQuery(draftsQuery);
  const own = me === undefined ? undefined : ownDraft(drafts ?? [], me.username);
  return open === null && own === undefined ? "Start a draft" : "Add to the draft";
}

/** Stores one change in the open draft, else in the own draft of another tab, else in a new one. */
export function useChangeOfDraft(open: OpenDraft | null) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (change: PropertyChange) => {
      const draft = await presentDraft(queries, open);
      const others = (draft?.changes ?? []).filter(({ key }) => key !== change.key);
      const changes = [...others, change];
      if (change.value !== null) await checkValue(change.key, changes);
      if (draft === null) return createDraft(draftName(Date.now()), changes);
      return changeDraft(draft.id, { changes }, etagFor(change.key, draft, open));
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["configuration"] });
      await navigate({
        to: ".",
        search: (search: object) => ({ ...search, draft: id }),
        replace: true,
        resetScroll: false,
      });
    },
  });
}

/** Takes one change out of the draft; the last one takes the draft with it. */
export function useUndoInDraft(open: OpenDraft | null) {
  const queries = useQueryClient();
  const close = useCloseDraft();
  return useMutation({
    mutationFn: async (key: string) => {
      const draft = open?.draft === undefined ? null : await presentDraft(queries, open);
      if (draft === null || open === null) return;
      const changes = draft.changes.filter((change) => change.key !== key);
      if (changes.length > 0) await changeDraft(draft.id, { changes }, etagFor(key, draft, open));
      else await deleteDraft(draft.id);
      if (changes.length === 0) await close();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["configuration"] }),
  });
}

interface PresentDraft {
  id: number;
  changes: readonly PropertyChange[];
  etag: string | null;
}

/** The draft that a change belongs to, as it is stored now: another tab may have changed it. */
async function presentDraft(queries: QueryClient, open: OpenDraft | null): Promise<PresentDraft | null> {
  const id = open === null || open.isGone ? await ownDraftId(queries) : open.id;
  if (id === undefined) return null;
  try {
    const { data, etag } = await queries.fetchQuery({ ...draftQuery(id), staleTime: 0, retry: false });
    return { id, changes: data.changes, etag };
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

async function ownDraftId(queries: QueryClient): Promise<number | undefined> {
  const [drafts, me] = await Promise.all([
    queries.fetchQuery({ ...draftsQuery, staleTime: 0 }),
    queries.fetchQuery(meQuery),
  ]);
  return ownDraft(drafts, me.username)?.id;
}

/** The state that a change of the key replaces: what another tab changed of other keys is no conflict. */
function etagFor(key: string, draft: PresentDraft, open: OpenDraft | null): string | null {
  if (open?.draft === undefined || open.isGone) return draft.etag;
  const valueIn = (changes: readonly PropertyChange[]) => changes.find((change) => change.key === key)?.value;
  return valueIn(open.draft.changes) === valueIn(draft.changes) ? draft.etag : open.etag;
}

/** Leaves the draft; it stays stored. */
export function useCloseDraft() {
  const navigate = useNavigate();
  return () =>
    navigate({
      to: ".",
      search: (search: object) => ({ ...search, draft: undefined }),
      resetScroll: false,
    });
}

function draftName(now_ms: number): string {
  return `Draft of ${dayOf(now_ms)}, ${clockTime(now_ms)}`;
}
