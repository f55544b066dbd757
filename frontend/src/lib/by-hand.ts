/** What the page does, as a command of srm-control and as a REST request, to copy. Pure. */

export interface ByHand {
  command: string;
  request: string;
}

interface Pair {
  source: string;
  target: string;
}

/** A word as a shell reads it literally. */
export function quoted(word: string): string {
  return /^[\w.:/=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

type Options = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A command with the options that have a value; true is an option without one. */
export function commandOf(words: readonly string[], options: Options): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === "" || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, quoted(String(value))];
  });
  return ["srm-control", ...words.map(quoted), ...given].join(" ");
}

const WITH_TOKEN = '-H "Authorization: Bearer $SRM_TOKEN"';

function urlOf({ source, target }: Pair, path: string): string {
  const flow = `${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
  return `${window.location.origin}/api/v2/replications/${flow}/${path}`;
}

/** A request below the path of a flow that sends a body. */
export function postOf(flow: Pair, path: string, body: object): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -X POST ${urlOf(flow, path)} ${WITH_TOKEN} -H 'Content-Type: application/json' -d '${json}'`;
}

/** A request below the path of a flow that reads. */
export function getOf(flow: Pair, path: string): string {
  return `curl '${urlOf(flow, path)}' ${WITH_TOKEN}`;
}
