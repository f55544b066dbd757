import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconColumns3, IconDownload } from "@tabler/icons-react";
import { usePreferences } from "@/api/personal";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import {
  chosenColumns,
  columnsOf,
  FLOW_COLUMNS,
  matchesFilter,
  sortedFlows,
  type TableFlow,
} from "@/features/replications/table/columns";
import { flowsAsCsv, flowsAsJson } from "@/features/replications/table/download";
import type { ChangeView, TableView } from "@/features/replications/table/search";
import { ViewMenu } from "@/features/replications/views/ViewMenu";
import { saveFile } from "@/lib/save-file";
import { statusWord } from "@/lib/status";

interface TableToolsProps {
  rows: readonly TableFlow[];
  view: TableView;
  change: ChangeView;
}

/** The choice of columns and the downloads of the table of flows. */
export default function TableTools(props: TableToolsProps) {
  return (
    <>
      <ColumnNote columns={props.view.columns} />
      <ViewMenu columns={props.view.columns} />
      <ColumnMenu {...props} />
      <DownloadMenu {...props} />
      <ListCommands list="flows" />
    </>
  );
}

/** A question mark that shows what the columns and the statuses mean. */
function ColumnNote({ columns }: { columns: string | undefined }) {
  const read = async () => {
    const { FLOW_MEANINGS } = await import("@/components/definition/meanings");
    const hints = columnsOf(columns).flatMap(({ label, hint }) => (hint ? [[label, hint] as const] : []));
    const statuses = Object.entries(FLOW_MEANINGS).map(
      ([status, meaning]) => [statusWord(status), meaning] as const,
    );
    return (
      <div className="column-meanings">
        <MeaningList meanings={hints} />
        <h3>Statuses</h3>
        <MeaningList meanings={statuses} />
      </div>
    );
  };
  return <HelpNote name="the columns and statuses" read={read} width={340} />;
}

function ColumnMenu({ view, change }: TableToolsProps) {
  const shown = columnsOf(view.columns).map(({ id }) => id);
  const toggle = (id: string): void => {
    const ids = shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id];
    change({ columns: chosenColumns(ids) });
  };
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="default" size={30} aria-label="Columns">
            <IconColumns3 size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className="column-menu">
        {FLOW_COLUMNS.slice(1).map(({ id, label, hint }) => (
          <Menu.CheckboxItem key={id} checked={shown.includes(id)} title={hint} onChange={() => toggle(id)}>
            {label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item disabled={view.columns === undefined} onClick={() => change({ columns: undefined })}>
          Usual columns
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function DownloadMenu({ rows, view }: TableToolsProps) {
  const columns = columnsOf(view.columns);
  const [{ pinned_flows }] = usePreferences();
  const shown = (): readonly TableFlow[] =>
    sortedFlows(
      rows.filter((row) => matchesFilter(row, view.q, view.status)),
      view.sort,
      pinned_flows,
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label="Download">
          <ActionIcon variant="default" size={30} aria-label="Download">
            <IconDownload size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveFile("replications.csv", "text/csv", flowsAsCsv(shown(), columns))}>
          CSV of the shown flows
        </Menu.Item>
        <Menu.Item
          onClick={() => saveFile("replications.json", "application/json", flowsAsJson(shown(), columns))}
        >
          JSON of the shown flows
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
