import { useQuery } from "@tanstack/react-query";
import { missingPartsQuery } from "@/api/queries";
import { missingText } from "@/components/answer/missing";

/** Which part of the system could not answer, while the rest is shown. */
export function PartialNote() {
  const { data: parts = [] } = useQuery(missingPartsQuery);
  if (parts.length === 0) return null;
  return (
    <div className="partial">
      {parts.map((part) => (
        <p key={`${part.peer} ${part.error}`}>
          <strong>Not everything is shown:</strong> {missingText(part)}
        </p>
      ))}
    </div>
  );
}
