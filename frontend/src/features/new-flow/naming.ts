/** The names of copied topics: what Kafka refuses is told beside its field. Pure. */
import type { FlowErrors, FlowForm } from "@/features/new-flow/flow-form";

const MOST_CHARACTERS = 249;
const LEGAL = /^[a-zA-Z0-9._-]*$/;
const LEGAL_TEXT = "letters, digits, “.”, “_” and “-”";

/** Why the naming makes no names that Kafka allows, by field. */
export function namingErrors(form: FlowForm): FlowErrors {
  if (form.policy === "default") {
    const separator = separatorError(form);
    return separator === null ? {} : { separator };
  }
  const template = form.policy === "template" ? templateError(form) : null;
  return template === null ? {} : { template };
}

function separatorError({ separator, source }: FlowForm): string | null {
  if (separator === "") return "Enter a separator.";
  if (!LEGAL.test(separator)) return `Use ${LEGAL_TEXT}: topic names allow no other characters.`;
  return lengthError(`${source}${separator}`);
}

function templateError({ template, source }: FlowForm): string | null {
  const count = (part: string) => template.split(part).length - 1;
  if (count("{topic}") !== 1) return "The template must contain {topic} once.";
  if (count("{source}") > 1) return "The template may contain {source} only once.";
  const literal = template.replace("{topic}", "").replace("{source}", "");
  if (!LEGAL.test(literal)) return `Beside {source} and {topic} use ${LEGAL_TEXT}.`;
  if (template === "{topic}") return "This keeps the names; choose “Same name as on the source” for that.";
  return lengthError(template.replace("{topic}", "").replace("{source}", source));
}

/** What is added to a topic, whose name has at least one character. */
const lengthError = (added: string) =>
  added.length < MOST_CHARACTERS ? null : `Topic names have at most ${MOST_CHARACTERS} characters.`;
