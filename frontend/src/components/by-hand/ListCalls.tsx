import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { type ListPlace, sameList } from "@/components/by-hand/lists";

/** The command and the request behind a list. */
export default function ListCalls({ place }: { place: ListPlace }) {
  return <CallsToCopy same={sameList(place)} />;
}
