import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { usePreferences } from "@/api/personal";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { choiceOf } from "@/components/table/columns/column-choice";
import {
  FLOW_COLUMNS,
  flowColumns,
  sortedFlows,
  type TableFlow,
} from "@/features/replications/table/columns";
import { flowsAsCsv, flowsAsJson } from "@/features/replications/table/download";
import type { ChangeView, TableView } from "@/features/replications/table/search";
import { ViewMenu } from "@/features/replications/views/ViewMenu";
import { saveFile } from "@/lib/files/save-file";
import { statusWord } from "@/lib/status";
import { NARROW } from "@/lib/view/screen";

interface TableToolsProps {
  /** the flows that match the filter */
  rows: readonly TableFlow[];
  view: TableView;
  change: ChangeView;
}

/** The choice of columns and the downloads of the table of flows. */
export default function TableTools(props: TableToolsProps) {
  // cards have no columns
  const isNarrow = useMediaQuery(NARROW);
  return (
    <>
      <ColumnNote columns={props.view.columns} />
      <ViewMenu columns={props.view.columns} />
      {!isNarrow && <FlowColumnMenu {...props} />}
      <DownloadMenu {...props} />
      <ListCommands list="flows" filters={{ q: props.view.q, status: props.view.status }} />
    </>
  );
}

/** A question mark that shows what the columns and the statuses mean. */
function ColumnNote({ columns }: { columns: string | undefined }) {
  const read = async () => {
    const { FLOW_MEANINGS } = await import("@/components/definition/meanings");
    const hints = flowColumns(columns).flatMap(({ label, hint }) => (hint ? [[label, hint] as const] : []));
    const statuses = Object.entries(FLOW_MEANINGS).map(
      ([status, meaning]) => [statusWord(status), meaning] as const,
    );
    return (
      <div className="column-meanings">
        <h3>Columns</h3>
        <MeaningList meanings={hints} />
        <h3>Statuses</h3>
        <MeaningList meanings={statuses} />
      </div>
    );
  };
  return <HelpNote name="the columns and statuses" read={read} width={340} />;
}

function FlowColumnMenu({ view, change }: TableToolsProps) {
  return (
    <ColumnMenu
      all={FLOW_COLUMNS}
      columns={flowColumns(view.columns)}
      isUsual={view.columns === undefined}
      onChoose={(ids) => change({ columns: ids && choiceOf(FLOW_COLUMNS, ids) })}
    />
  );
}

function DownloadMenu({ rows, view }: TableToolsProps) {
  const columns = flowColumns(view.columns);
  const [{ pinned_flows }] = usePreferences();
  const shown = (): readonly TableFlow[] => sortedFlows(rows, view.sort, pinned_flows);
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
