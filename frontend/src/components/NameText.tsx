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

/** A name that is broken only if it is longer than `most` letters, or on the narrowest phones. */
export function ShortName({ name, most }: { name: string; most: number }) {
  const text = <NameText name={name} />;
  return name.length <= most ? <span className="short-name">{text}</span> : text;
}

/** The most letters of a name that has room wherever a longer one has. */
const SHORT = 12;

/**
 * A name, an address or several of them, which break after dots, hyphens, underscores, commas and slashes; `SRM_NAME`
 * and short names do not.
 */
export function NameText({ name }: { name: string }) {
  return name.split(/(?<= )/).map((word, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a name never move
    <Fragment key={place}>{word.length > SHORT ? <Broken name={word} /> : <Whole word={word} />}</Fragment>
  ));
}

/** Browsers break after a hyphen; the space after a word stays a place to break. */
function Whole({ word }: { word: string }) {
  if (!word.includes("-")) return word;
  return (
    <>
      <span className="short-name">{word.trimEnd()}</span>
      {word.endsWith(" ") && " "}
    </>
  );
}

function Broken({ name }: { name: string }) {
  const parts = name.split(/(?<=[.,/](?!\/)|_(?![A-Z])|-(?!>))|(?=->)/);
  return parts.map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never move
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
