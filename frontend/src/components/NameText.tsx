import { Fragment } from "react";

/** A name or an address, which breaks after dots, hyphens, underscores, commas and slashes and before a port. */
export function NameText({ name }: { name: string }) {
  const parts = name.split(/(?<=[._,/](?!\/)|-(?!>))|(?=->|:\d)/);
  return parts.map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never move
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
