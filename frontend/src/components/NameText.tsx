import { Fragment } from "react";

/** Names or addresses after one another; one that fits in one line is not broken. */
export function NameList({ names }: { names: readonly string[] }) {
  return names.map((name, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a name may be there twice
    <Fragment key={place}>
      {place > 0 && " "}
      <span className="name-whole">
        <NameText name={name} />
        {place < names.length - 1 && ","}
      </span>
    </Fragment>
  ));
}

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
