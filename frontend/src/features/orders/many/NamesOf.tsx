interface NamesOfProps {
  /** names the list: "The chosen flows" */
  label: string;
  names: readonly string[];
}

/** What an action is for, by name. */
export function NamesOf({ label, names }: NamesOfProps) {
  return (
    <ul className="many-names" aria-label={label}>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
