import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";

interface ColumnsNoteProps {
  /** the rows: "topics" */
  of: string;
  columns: readonly { label: string; hint?: string | undefined }[];
  /** the words of a column, with their meaning */
  words?: readonly (readonly [string, string])[] | undefined;
}

/** A question mark that shows what the columns of a table mean, from their hints. */
export function ColumnsNote({ of, columns, words = [] }: ColumnsNoteProps) {
  const hints = columns.flatMap(({ label, hint }) => (hint ? [[label, hint] as const] : []));
  const read = async () => (
    <>
      <MeaningList meanings={hints} />
      {words.length > 0 && <MeaningList meanings={words} />}
    </>
  );
  return <HelpNote name={`the columns of the ${of}`} read={read} width={340} />;
}
