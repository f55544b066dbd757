import { CommandsButton } from "@/components/by-hand/CommandsButton";
import type { ListPlace } from "@/components/by-hand/lists";
import { lazyPart } from "@/lib/view/lazy-part";

const ListCalls = lazyPart(() => import("@/components/by-hand/ListCalls"));

/** A button that shows the command and the request behind a list, to copy, and offers the list as a file. */
export function ListCommands(place: ListPlace) {
  return (
    <CommandsButton label={`Command and request of the ${place.list}`}>
      <ListCalls place={place} />
    </CommandsButton>
  );
}
