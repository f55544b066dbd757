/** What openapi.json declares for a request, and where a value differs from it. */
import openapi from "../../openapi.json" with { type: "json" };

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
};
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = { requestBody?: Content; responses: Record<string, Content> };

const SCHEMAS = openapi.components.schemas as unknown as Record<string, Schema>;
const PATHS = openapi.paths as unknown as Record<string, Record<string, Operation>>;

export function operationOf(method: string, path: string): Operation | undefined {
  return PATHS[path]?.[method.toLowerCase()];
}

export const schemaOf = (content: Content | undefined): Schema | undefined =>
  content?.content?.["application/json"]?.schema;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function hasType(value: unknown, types: readonly string[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Where a value differs from its schema: types, words, and fields that are missing or unknown. */
export function differences(value: unknown, schema: Schema, place: string): string[] {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return differences(value, SCHEMAS[name] ?? {}, place);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return ofNearest(choices.map((choice) => differences(value, choice, place)));
  const all = (schema.allOf ?? []).flatMap((part) => differences(value, part, place));
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !hasType(value, types)) return [...all, `${place}: ${typeOf(value)}`];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [...all, `${place}: ${String(value)}`];
  if (Array.isArray(value)) return [...all, ...inArray(value, schema, place)];
  return typeof value === "object" && value !== null ? [...all, ...inObject(value, schema, place)] : all;
}

function ofNearest(choices: readonly string[][]): string[] {
  return choices.reduce((best, each) => (each.length < best.length ? each : best));
}

function inArray(items: readonly unknown[], schema: Schema, place: string): string[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const isLong = items.length >= minItems && items.length <= maxItems;
  const inner = items.flatMap((item, at) => differences(item, schema.items ?? {}, `${place}[${at}]`));
  return isLong ? inner : [`${place}: ${items.length} items`, ...inner];
}

function inObject(value: object, schema: Schema, place: string): string[] {
  const { properties, additionalProperties: others, required = [] } = schema;
  const missing = required
    .filter((field) => !(field in value))
    .map((field) => `${place}.${field} is missing`);
  const inner = Object.entries(value).flatMap(([field, part]) => {
    const known = properties?.[field] ?? (typeof others === "object" ? others : undefined);
    if (known !== undefined) return differences(part, known, `${place}.${field}`);
    return properties === undefined || others === true ? [] : [`${place}.${field} is unknown`];
  });
  return [...missing, ...inner];
}
