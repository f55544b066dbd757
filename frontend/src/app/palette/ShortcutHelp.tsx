import "@/app/palette/palette.css";
import { Button, Kbd } from "@mantine/core";
import { useState } from "react";
import { areShortcutsOn, SHORTCUTS, turnShortcuts } from "@/app/palette/shortcuts";
import { Dialog } from "@/components/dialog/Dialog";

/** The list of shortcuts, with the switch that turns those of single keys off. */
export default function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  const turn = (): void => {
    turnShortcuts(!isOn);
    setOn(!isOn);
  };
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <div className="shortcut-help">
        <h2>Keyboard shortcuts</h2>
        <dl>
          <Row keys="Ctrl K" does="Open the search, even while typing in a field" />
          {SHORTCUTS.map(({ keys, does }) => (
            <Row key={keys} keys={keys} does={does} />
          ))}
        </dl>
        <p className="muted">
          {isOn ? "Single-key shortcuts are on." : "Single-key shortcuts are off. Ctrl K still works."}
        </p>
        <div className="shortcut-buttons">
          <Button size="xs" variant="default" onClick={turn}>
            {isOn ? "Turn off single-key shortcuts" : "Turn on single-key shortcuts"}
          </Button>
          <Button size="xs" variant="default" data-autofocus onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Row({ keys, does }: { keys: string; does: string }) {
  return (
    <div>
      <dt>
        {keys.split(" ").map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
