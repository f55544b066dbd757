/** The open draft, named in the URL, and its changes. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ApiProblem } from "@/api/problem";
import { meQuery } from "@/api/queries";
import type { CheckedDraft, PropertyChange } from "@/api/types";
import {
  changeDraft,
  checkValue,
  createDraft,
  deleteDraft,
  draftQuery,
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

/** Stores one change; the first one creates a draft. */
export function useChangeOfDraft(open: OpenDraft | null) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (change: PropertyChange) => {
      const others = (open?.draft?.changes ?? []).filter(({ key }) => key !== change.key);
      const changes = [...others, change];
      if (change.value !== null) await checkValue(change.key, changes);
      if (open === null || open.isGone) return createDraft(draftName(Date.now()), changes);
      return changeDraft(open.id, { changes }, open.etag);
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
      if (open?.draft === undefined) return;
      const changes = open.draft.changes.filter((change) => change.key !== key);
      if (changes.length > 0) await changeDraft(open.id, { changes }, open.etag);
      else await deleteDraft(open.id);
      if (changes.length === 0) await close();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["configuration"] }),
  });
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
