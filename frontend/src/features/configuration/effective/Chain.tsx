import type { ChainLink, EffectiveValue } from "@/api/types";
import { NameText } from "@/components/NameText";
import { Shown } from "@/features/configuration/properties/PropertyTable";

interface ChainProps {
  value: EffectiveValue;
  /** true: the client that reads the value is named */
  showsClient?: boolean;
}

/** The value in force with its level, and below it those that lost, strongest first. */
export function Chain({ value, showsClient = false }: ChainProps) {
  return (
    <ol className="chain">
      <li data-wins>
        <span className="level-chip" data-level={value.level}>
          {value.level}
        </span>
        {value.value === null ? <span className="muted">not set</span> : <Shown value={value.value} />}
        {value.key !== "" && (
          <code className="chain-key">
            <NameText name={value.key} />
          </code>
        )}
        {showsClient && <span className="muted">{value.client}</span>}
        {value.origin !== "" && <span className="muted">{value.origin}</span>}
        {value.note !== "" && <span className="muted">{value.note}</span>}
      </li>
      {value.beaten.map((link) => (
        <Beaten key={`${link.level} ${link.key} ${link.value}`} link={link} />
      ))}
    </ol>
  );
}

function Beaten({ link }: { link: ChainLink }) {
  return (
    <li>
      <span className="level-chip" data-level={link.level}>
        {link.level}
      </span>
      <del>
        <Shown value={link.value} />
      </del>
      {link.key !== "" && (
        <code className="chain-key">
          <NameText name={link.key} />
        </code>
      )}
      {!link.has_effect && <span className="muted">{link.note || "is not read here"}</span>}
      {link.has_effect && link.note !== "" && <span className="muted">{link.note}</span>}
      {link.origin !== "" && <span className="muted">{link.origin}</span>}
    </li>
  );
}
