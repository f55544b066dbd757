import "@/components/form/form.css";
import "@/app/settings/settings.css";
import { Button, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { usePreferences } from "@/api/personal";
import { areShortcutsOn, turnShortcuts } from "@/app/palette/shortcuts";
import { AboutCard } from "@/app/settings/AboutCard";
import { THEMES } from "@/app/theme/ThemeMenu";
import { useZone } from "@/app/ZoneSwitch";
import { Card } from "@/components/Card";
import { PageTitle } from "@/components/PageTitle";
import { setZone } from "@/lib/time";

const ZONES = [
  { value: "local", label: "Local time" },
  { value: "utc", label: "UTC" },
] as const;
const SHORTCUTS = [
  { value: "on", label: "On" },
  { value: "off", label: "Off; Ctrl K still opens the search" },
] as const;

/** What a person chooses for the page. Only what the service keeps is the same in every browser. */
export function SettingsPage() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zone = useZone();
  const [isOn, setOn] = useState(areShortcutsOn);
  const shortcuts = (value: "on" | "off") => {
    turnShortcuts(value === "on");
    setOn(value === "on");
  };
  return (
    <>
      <PageTitle title="Settings">
        <p>Changes apply at once</p>
      </PageTitle>
      <div className="settings">
        <Card title="This browser">
          <Choice legend="Theme" options={THEMES} value={colorScheme} onChoose={setColorScheme} />
          <Choice legend="Times" options={ZONES} value={zone} onChoose={setZone} />
          <Choice
            legend="Shortcuts of single keys"
            options={SHORTCUTS}
            value={isOn ? "on" : "off"}
            onChoose={shortcuts}
          />
        </Card>
        <Personal />
        <AboutCard />
      </div>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  legend: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ legend, options, value, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset className="setting">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className="check">
          <input
            type="radio"
            name={legend}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** What the service keeps for the person. */
function Personal() {
  const [{ pinned_flows, columns }, change] = usePreferences();
  return (
    <Card title="Your choices" note="in every browser">
      <Kept
        title="Pinned replications"
        text={pinned_flows.length === 0 ? "None" : pinned_flows.join(", ")}
        action="Unpin all"
        onAct={pinned_flows.length === 0 ? null : () => change({ pinned_flows: [] })}
      />
      <Kept
        title="Columns of the replications"
        text={columns.length === 0 ? "The usual ones" : columns.join(", ")}
        action="Use the usual columns"
        onAct={columns.length === 0 ? null : () => change({ columns: [] })}
      />
      <div className="setting">
        <h3>Saved views</h3>
        <p>
          They are saved and changed above the table of the <Link to="/replications">replications</Link>.
        </p>
      </div>
    </Card>
  );
}

interface KeptProps {
  title: string;
  text: ReactNode;
  action: string;
  /** null: there is nothing to take back */
  onAct: (() => void) | null;
}

function Kept({ title, text, action, onAct }: KeptProps) {
  return (
    <div className="setting">
      <h3>{title}</h3>
      <p>{text}</p>
      {onAct !== null && (
        <Button size="xs" variant="default" onClick={onAct}>
          {action}
        </Button>
      )}
    </div>
  );
}
