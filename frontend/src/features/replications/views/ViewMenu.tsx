import "@/features/replications/views/views.css";
import { ActionIcon, Popover, Tooltip } from "@mantine/core";
import { IconLayoutBoard } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { viewsQuery } from "@/api/personal";
import { openingSearch } from "@/features/replications/views/view-query";
import { lazyPart } from "@/lib/view/lazy-part";

const ViewPanel = lazyPart(() => import("@/features/replications/views/ViewPanel"));

/** Opens the page with the default view, once, if its address is bare. */
function useDefaultView(): void {
  const { data } = useQuery(viewsQuery);
  const search = useSearch({ from: "/replications" });
  const navigate = useNavigate();
  const isDone = useRef(false);
  useEffect(() => {
    if (data === undefined || isDone.current) return;
    isDone.current = true;
    const opening = openingSearch(data, { ...search });
    if (opening !== null) void navigate({ to: "/replications", search: opening, replace: true });
  }, [data, search, navigate]);
}

/** The button that opens the saved views of the person. */
export function ViewMenu({ columns }: { columns: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  useDefaultView();
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={320}
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Tooltip label="Saved views">
          <ActionIcon variant="default" size={30} aria-label="Saved views" onClick={() => setOpen(!isOpen)}>
            <IconLayoutBoard size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Saved views" className="views">
        <Suspense fallback={null}>
          {isOpen && <ViewPanel columns={columns} onClose={() => setOpen(false)} />}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
