interface NameListProps {
  title: string;
  names: readonly string[];
  /** the number of all names, of which `names` are the first */
  total: number | null;
}

/** A list of names that is folded if it is long; nothing for an empty one. */
export function NameList({ title, names, total }: NameListProps) {
  if (names.length === 0) return null;
  return (
    <details className="preview-details" open={names.length <= 8}>
      <summary>
        {title} <span className="muted">{total}</span>
      </summary>
      <ul>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </details>
  );
}
