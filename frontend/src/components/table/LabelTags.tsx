/** The labels of a cluster. */
export function LabelTags({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <span className="tags">
      {Object.entries(labels).map(([key, value]) => (
        <span key={key} className="tag">
          {key}={value}
        </span>
      ))}
    </span>
  );
}
