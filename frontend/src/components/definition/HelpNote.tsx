import { Popover } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

interface HelpNoteProps {
  /** what is defined: names the button and the note */
  name: string;
  /** reads the text when it is first wanted */
  read: () => Promise<ReactNode>;
  width?: number;
}

/** A question mark that shows what something means. */
export function HelpNote({ name, read, width = 260 }: HelpNoteProps) {
  const [text, setText] = useState<ReactNode>(null);
  const label = `Definition of ${name}`;
  return (
    <Popover width={width} position="bottom" withArrow transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <button
          type="button"
          className="definition"
          aria-label={label}
          onClick={() => void read().then(setText)}
        >
          <IconHelp size={15} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <div className="definition-text" tabIndex={0}>
          {text ?? "…"}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
