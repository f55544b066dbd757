import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "@/components/DataTable";
import { offeredOf } from "@/components/table/columns/column-choice";

interface ColumnMenuProps {
  /** names the rows; absent: the page has one table */
  what?: string;
  all: readonly Pick<Column<never>, "id" | "label" | "hint" | "isAlways">[];
  columns: readonly { id: string }[];
  isUsual: boolean;
  /** undefined: the usual columns */
  onChoose: (ids: readonly string[] | undefined) => void;
}

/** The button that chooses the columns of a table. The first column, which names the rows, is always shown. */
export function ColumnMenu({ what, all, columns, isUsual, onChoose }: ColumnMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const label = what === undefined ? "Columns" : `Columns of the ${what}`;
  const shown = columns.map(({ id }) => id);
  const toggle = (id: string) =>
    onChoose(shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id]);
  return (
    <Menu closeOnItemClick={false} position="bottom-end" onChange={setOpen}>
      <Menu.Target>
        <Tooltip label="Columns" disabled={isOpen}>
          <ActionIcon variant="default" size={30} aria-label={label}>
            <IconColumns3 size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className="column-menu">
        {offeredOf(all).map((column) => (
          <Menu.CheckboxItem
            key={column.id}
            checked={shown.includes(column.id)}
            title={column.hint}
            onChange={() => toggle(column.id)}
          >
            {column.label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item disabled={isUsual} onClick={() => onChoose(undefined)}>
          Usual columns
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
