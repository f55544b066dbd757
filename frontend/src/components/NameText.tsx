import { Fragment } from "react";

/** A name of a topic, cluster or key, which breaks after dots, hyphens and underscores and never inside words. */
export function NameText({ name }: { name: string }) {
  const parts = name.split(/(?<=[._]|-(?!>))|(?=->)/);
  return parts.map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never move
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
