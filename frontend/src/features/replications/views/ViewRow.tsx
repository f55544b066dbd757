import { ActionIcon, Button, TextInput } from "@mantine/core";
import {
  IconCheck,
  IconDeviceFloppy,
  IconHome,
  IconHomeFilled,
  IconPencil,
  IconTrash,
  IconX,
} from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { SavedView } from "@/api/types";
import { sameViewChange, sameViewDelete } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";

interface ViewRowProps {
  view: SavedView;
  isShown: boolean;
  onShow: () => void;
  onChange: (change: Partial<Pick<SavedView, "name" | "is_default">>) => void;
  onReplace: () => void;
  onDelete: () => void;
}

/** One saved view with what can be done with it. */
export function ViewRow(props: ViewRowProps) {
  const { view, isShown, onShow, onChange, onReplace, onDelete } = props;
  const [open, setOpen] = useState<"rename" | "delete" | null>(null);
  if (open === "rename") {
    return <Rename view={view} onName={(name) => onChange({ name })} onClose={() => setOpen(null)} />;
  }
  return (
    <li className="view-row">
      <button type="button" className="view-name" aria-current={isShown || undefined} onClick={onShow}>
        {view.name}
        {view.is_default && <span className="view-note">Default</span>}
      </button>
      {open === "delete" ? (
        <>
          <Button size="compact-xs" className="form-danger" onClick={onDelete}>
            Delete {view.name}
          </Button>
          <Tool label={`Keep ${view.name}`} onClick={() => setOpen(null)}>
            <IconX size={15} aria-hidden />
          </Tool>
          <ByHandNote same={sameViewDelete(view.id)} />
        </>
      ) : (
        <>
          <Tool
            label={
              view.is_default
                ? `Do not use ${view.name} as the default view`
                : `Use ${view.name} as the default view`
            }
            isPressed={view.is_default}
            onClick={() => onChange({ is_default: !view.is_default })}
          >
            {view.is_default ? <IconHomeFilled size={15} aria-hidden /> : <IconHome size={15} aria-hidden />}
          </Tool>
          {!isShown && (
            <Tool label={`Update ${view.name} to what is shown now`} onClick={onReplace}>
              <IconDeviceFloppy size={15} aria-hidden />
            </Tool>
          )}
          <Tool label={`Rename ${view.name}`} onClick={() => setOpen("rename")}>
            <IconPencil size={15} aria-hidden />
          </Tool>
          <Tool label={`Delete ${view.name}`} onClick={() => setOpen("delete")}>
            <IconTrash size={15} aria-hidden />
          </Tool>
        </>
      )}
    </li>
  );
}

interface ToolProps {
  label: string;
  onClick: () => void;
  isPressed?: boolean;
  children: ReactNode;
}

function Tool({ label, onClick, isPressed, children }: ToolProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={26}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

interface RenameProps {
  view: SavedView;
  onName: (name: string) => void;
  onClose: () => void;
}

function Rename({ view, onName, onClose }: RenameProps) {
  const [name, setName] = useState(view.name);
  const wanted = name.trim();
  const rename = () => {
    if (wanted !== "" && wanted !== view.name) onName(wanted);
    onClose();
  };
  return (
    <li>
      <form
        className="view-row"
        aria-label={`Rename ${view.name}`}
        onSubmit={(event) => {
          event.preventDefault();
          rename();
        }}
      >
        <TextInput
          size="xs"
          data-autofocus
          aria-label="Name of the view"
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ActionIcon type="submit" variant="subtle" color="gray" size={26} aria-label="Rename the view">
          <IconCheck size={15} aria-hidden />
        </ActionIcon>
        <Tool label="Keep the name" onClick={onClose}>
          <IconX size={15} aria-hidden />
        </Tool>
        <ByHandNote same={sameViewChange(view.id, { name: wanted })} />
      </form>
    </li>
  );
}
