/** What the page does, as a command of srm-control and as a REST request, to copy. Pure. */

export interface ByHand {
  /** null: srm-control has none */
  command: string | null;
  request: string;
}

export interface Pair {
  source: string;
  target: string;
}

/** A word as a shell reads it literally. */
export function quoted(word: string): string {
  return /^[\w.:/=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

type Value = string | number | boolean | null | undefined;
type Options = Readonly<Record<string, Value | readonly string[]>>;

/** A command with the options that have a value; true is an option without one, a list repeats its option. */
export function commandOf(words: readonly string[], options: Options): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) return value.map((one) => `--${name} ${quoted(one)}`);
    if (value === undefined || value === null || value === "" || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, quoted(String(value))];
  });
  return ["srm-control", ...words.map(quoted), ...given].join(" ");
}

const WITH_TOKEN = '-H "Authorization: Bearer $SRM_TOKEN"';

/** The path of a flow, or of something of it, below /api/v2. */
export function flowPath({ source, target }: Pair, path = ""): string {
  const flow = `replications/${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
  return path === "" ? flow : `${flow}/${path}`;
}

const urlOf = (path: string) => `${window.location.origin}/api/v2/${path}`;

function sendTo(method: string, path: string, body: object): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -X ${method} ${urlOf(path)} ${WITH_TOKEN} -H 'Content-Type: application/json' -d '${json}'`;
}

/** A request to a path below /api/v2 that sends a body. */
export const postTo = (path: string, body: object) => sendTo("POST", path, body);

/** A request to a path below /api/v2 that changes what is there. */
export const patchOf = (path: string, body: object) => sendTo("PATCH", path, body);

/** A request to a path below /api/v2 that sets what is there. */
export const putTo = (path: string, body: object) => sendTo("PUT", path, body);

/** A request that deletes what is at a path below /api/v2. */
export const deleteOf = (path: string) => `curl -X DELETE ${quoted(urlOf(path))} ${WITH_TOKEN}`;

/** A request to a path below /api/v2 that reads. */
export function getFrom(path: string): string {
  return `curl '${urlOf(path)}' ${WITH_TOKEN}`;
}

/** A request below the path of a flow that sends a body. */
export const postOf = (flow: Pair, path: string, body: object) => postTo(flowPath(flow, path), body);

/** A request below the path of a flow that reads. */
export const getOf = (flow: Pair, path: string) => getFrom(flowPath(flow, path));
