/** Writes what the page needs of openapi.json at run time, where types alone do not do: `npm run gen`. */
import { readFileSync, writeFileSync } from "node:fs";

/**
 * @typedef {{ unit: string, description: string }} Metric
 * @typedef {{ "x-metrics": Record<string, Metric> }} Metrics
 * @typedef {{ properties: Record<string, { "x-rest"?: string }> }} Row
 * @typedef {{ properties: { alias: { pattern: string, description: string } } }} Cluster
 * @typedef {{ properties: { bytes_per_second: { maximum: number } } }} Order
 * @typedef {{ Metrics: Metrics, FleetMetrics: Metrics, LiveFlowRow: Row }} Measured
 * @typedef {Measured & { ClusterCreateRequest: Cluster, FlowActionRequest: Order }} Schemas
 * @typedef {{ components: { schemas: Schemas } }} OpenApi
 */

/**
 * @param {OpenApi} document
 * @returns {string} the text of src/api/schema-values.ts
 */
export function schemaValues(document) {
  const { Metrics, FleetMetrics, LiveFlowRow, ClusterCreateRequest, FlowActionRequest } =
    document.components.schemas;
  const metrics = Object.entries({ ...Metrics["x-metrics"], ...FleetMetrics["x-metrics"] });
  const columns = Object.entries(LiveFlowRow.properties);
  const places = columns.flatMap(([name, { "x-rest": place }]) =>
    place === undefined ? [] : [[name, place]],
  );
  const { pattern, description: rule } = ClusterCreateRequest.properties.alias;
  return [
    "/** Generated from openapi.json by `npm run gen`. */",
    "",
    constant("METRIC_UNITS", Object.fromEntries(metrics.map(([name, { unit }]) => [name, unit]))),
    "",
    "/** Where a flow of REST has the value of a live column. */",
    constant("FLOW_ROW_PLACES", Object.fromEntries(places)),
    "",
    "/** The rule for aliases of clusters. */",
    constant("ALIAS", { pattern, rule }),
    "",
    "/** The highest throttle. */",
    `export const MOST_BYTES_PER_SECOND = ${FlowActionRequest.properties.bytes_per_second.maximum};`,
    "",
  ].join("\n");
}

/**
 * What the registry says about each metric; a separate file, which is read on demand.
 * @param {OpenApi} document
 * @returns {string} the text of src/components/definition/definitions.ts
 */
export function schemaDefinitions(document) {
  const { Metrics, FleetMetrics } = document.components.schemas;
  const metrics = Object.entries({ ...Metrics["x-metrics"], ...FleetMetrics["x-metrics"] });
  return [
    "/** Generated from openapi.json by `npm run gen`. */",
    "",
    "/** The definition of each metric, as the registry of metrics has it. */",
    constant(
      "DEFINITIONS",
      Object.fromEntries(metrics.map(([name, { description }]) => [name, description])),
    ),
    "",
  ].join("\n");
}

/**
 * @param {string} name
 * @param {Record<string, string>} values
 */
function constant(name, values) {
  const lines = Object.entries(values).map(([key, value]) => `  ${key}: ${JSON.stringify(value)},`);
  return [`export const ${name} = {`, ...lines, "} as const;"].join("\n");
}

if (import.meta.filename === process.argv[1]) {
  const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));
  writeFileSync(new URL("../src/api/schema-values.ts", import.meta.url), schemaValues(document));
  writeFileSync(
    new URL("../src/components/definition/definitions.ts", import.meta.url),
    schemaDefinitions(document),
  );
}
