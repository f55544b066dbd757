import { ApiProblem, reasonOf } from "@/api/problem";
import { ChangesTable } from "@/components/form/ChangesTable";

interface FormProblemProps {
  error: Error | null;
  /** fields that show their own error */
  shown?: readonly string[];
}

/** Why a form was refused: the reason, what the fields do not say themselves, and what others have changed. */
export function FormProblem({ error, shown = [] }: FormProblemProps) {
  if (error === null) return null;
  const problem = error instanceof ApiProblem ? error : null;
  const fields = Object.entries(problem?.fields ?? {}).filter(([name]) => name !== "");
  const others = fields.filter(([name]) => !shown.some((own) => name === own || name.startsWith(`${own}.`)));
  const isToldByFields = fields.length > 0 && others.length < fields.length;
  return (
    <div role="alert" className="form-problem">
      <p>
        {isToldByFields ? "Some fields are not valid. The reason is beside each of them." : reasonOf(error)}
      </p>
      {isToldByFields &&
        others.map(([name, reason]) => (
          <p key={name}>
            {name}: {reason}
          </p>
        ))}
      {problem !== null && problem.diff.length > 0 && (
        <ChangesTable
          label="Changes since you opened this page"
          before="Yours"
          after="Now"
          isConflict
          rows={problem.diff.map(({ field, yours, current }) => ({
            key: field,
            before: yours,
            after: current,
          }))}
        />
      )}
      {problem?.requestId != null && (
        <p className="form-request">
          Request <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** The reason why a field is not valid, from the problem document of the answer. */
export function fieldError(error: Error | null, name: string): string | undefined {
  return error instanceof ApiProblem ? reasonIn(error.fields, name) : undefined;
}

/** The reason for a field, with those of its parts. */
export function reasonIn(reasons: Readonly<Record<string, string>>, name: string): string | undefined {
  const found = Object.entries(reasons).filter(([key]) => key === name || key.startsWith(`${name}.`));
  if (found.length === 0) return undefined;
  return found
    .map(([key, reason]) => (key === name ? reason : `${key.slice(name.length + 1)}: ${reason}`))
    .join(" ");
}
