/** What the service refuses of a form, with the field that has it. Pure. */
import { ApiProblem } from "@/api/problem";

export interface Refusal<Field extends string = string> {
  /** null: it belongs to no field */
  field: Field | null;
  text: string;
}
/** The field of a form by the name that the service has for it. */
export type FieldNames<Field extends string> = Readonly<Record<string, Field>>;

/**
 * The reasons of a refusal; none if the service failed to answer, which a retry may mend. `fields` are those of the
 * request, `keys` those of properties.
 */
export function refusalsOf<Field extends string>(
  error: Error | null,
  fields: FieldNames<Field>,
  keys: FieldNames<Field>,
): readonly Refusal<Field>[] {
  if (!(error instanceof ApiProblem) || (error.status !== 400 && error.status !== 422)) return [];
  const ofFields = Object.entries(error.fields).map(([name, text]) => {
    const field = fieldOf(name.replace(/^flow\./, ""), fields);
    return { field, text: field === null && name !== "" ? `${name}: ${text}` : text };
  });
  const ofKeys = error.findings
    .filter(({ severity }) => severity === "error")
    .map(({ key, message }) => {
      const name = Object.keys(keys).find((each) => key === each || key.endsWith(`.${each}`));
      return { field: (name && keys[name]) || null, text: `${key}: ${message}` };
    });
  const found = [...ofFields, ...ofKeys];
  return found.length > 0 ? found : [{ field: null, text: error.message }];
}

/** The longest name that is the field or a part around it, such as `policy` for `policy.kind`. */
function fieldOf<Field extends string>(name: string, fields: FieldNames<Field>): Field | null {
  const [longest] = Object.keys(fields)
    .filter((each) => name === each || name.startsWith(`${each}.`))
    .sort((a, b) => b.length - a.length);
  return (longest !== undefined && fields[longest]) || null;
}

/** The reasons by field. */
export function errorsOf<Field extends string>(
  refusals: readonly Refusal<Field>[],
): Partial<Record<Field, string>> {
  const errors: Partial<Record<Field, string>> = {};
  for (const { field, text } of refusals) {
    if (field !== null) errors[field] = errors[field] === undefined ? text : `${errors[field]}; ${text}`;
  }
  return errors;
}
