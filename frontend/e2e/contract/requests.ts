/** The requests that the page makes, found in its source. */
import { readdirSync, readFileSync } from "node:fs";

const CALL = /\.(GET|POST|PUT|PATCH|DELETE)\(\s*(?:"([^"]+)"|(\w+)\b)/g;

export interface PageRequest {
  method: string;
  path: string;
}

function requestsIn(text: string): PageRequest[] {
  return [...text.matchAll(CALL)].map(([, method = "", path, constant]) => ({
    method,
    path: path ?? text.match(new RegExp(`\\b${constant} =\\s*"([^"]+)"`))?.[1] ?? "",
  }));
}

/** Each once, in order. */
export function requestsOfPage(): PageRequest[] {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path) && !path.includes(".test."),
  );
  const all = sources.flatMap((path) => requestsIn(readFileSync(`src/${path}`, "utf8")));
  const unlike = new Map(all.map((request) => [`${request.path} ${request.method}`, request]));
  return [...unlike].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, request]) => request);
}
