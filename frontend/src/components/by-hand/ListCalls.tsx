import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { ListFiles } from "@/components/by-hand/ListFiles";
import { type ListPlace, sameList } from "@/components/by-hand/lists";

/** The command and the request behind a list, and the list as a file. */
export default function ListCalls({ place }: { place: ListPlace }) {
  return (
    <>
      <CallsToCopy same={sameList(place)} />
      <ListFiles place={place} />
    </>
  );
}
