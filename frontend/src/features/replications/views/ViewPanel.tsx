import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { changeView, deleteView, viewsQuery } from "@/api/personal";
import { reasonOf } from "@/api/problem";
import type { SavedView } from "@/api/types";
import { ErrorState, LoadingRows } from "@/components/states";
import { SaveViewForm } from "@/features/replications/views/SaveViewForm";
import { ViewRow } from "@/features/replications/views/ViewRow";
import { isShown, queryOfView, searchOfView } from "@/features/replications/views/view-query";

interface ViewPanelProps {
  /** the columns that are shown now, as the address names them */
  columns: string | undefined;
  onClose: () => void;
}

/** The saved views of the person: show one, rename, replace or delete it, choose the default, save another. */
export default function ViewPanel({ columns, onClose }: ViewPanelProps) {
  const { data, error, refetch } = useQuery(viewsQuery);
  const queries = useQueryClient();
  const search = useSearch({ from: "/replications" });
  const navigate = useNavigate();
  const settled = { onSettled: () => queries.invalidateQueries({ queryKey: viewsQuery.queryKey }) };
  const change = useMutation({
    mutationFn: ({ id, ...wanted }: Partial<SavedView> & { id: number }) => changeView(id, wanted),
    ...settled,
  });
  const removal = useMutation({ mutationFn: deleteView, ...settled });
  const query = queryOfView({ ...search }, columns);
  const show = (wanted: ReturnType<typeof searchOfView>) => {
    void navigate({ to: "/replications", search: { before: undefined, ...wanted } });
    onClose();
  };
  const failure = change.error ?? removal.error;
  if (data === undefined) {
    if (error === null) return <LoadingRows rows={2} label="Loading your views" />;
    return <ErrorState what="Your views" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <ul className="view-list">
        <li className="view-row">
          <button type="button" className="view-name" onClick={() => show({})}>
            Standard view
          </button>
        </li>
        {data.map((view) => (
          <ViewRow
            key={view.id}
            view={view}
            isShown={isShown(view, { ...search }, columns)}
            onShow={() => show(searchOfView(view))}
            onChange={(wanted) => change.mutate({ id: view.id, ...wanted })}
            onReplace={() => change.mutate({ id: view.id, query })}
            onDelete={() => removal.mutate(view.id)}
          />
        ))}
      </ul>
      {failure !== null && (
        <p role="alert" className="view-problem">
          {reasonOf(failure)}
        </p>
      )}
      <SaveViewForm query={query} />
    </>
  );
}
