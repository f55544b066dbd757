import "@/components/by-hand/by-hand.css";
import "@/components/form/form.css";
import { type ListPlace, sameList } from "@/components/by-hand/lists";
import { CopyText } from "@/components/form/CopyText";

/** The command and the request behind a list. */
export default function ListCalls({ place }: { place: ListPlace }) {
  const { command, request } = sameList(place);
  return (
    <div className="list-commands">
      <CopyText label="Command of srm-control" text={command} />
      <CopyText label="REST request" text={request} />
    </div>
  );
}
