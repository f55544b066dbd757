/** Writes one HTML page with all pictures of a folder: `node scripts/sheet.mjs FOLDER`. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
if (folder === undefined) throw new Error("name the folder of the pictures");

/** @type {Map<string, string[]>} */
const screens = new Map();
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".png"))
  .sort()) {
  const [name = ""] = file.split("_");
  screens.set(name, [...(screens.get(name) ?? []), file]);
}
const figures = (/** @type {string[]} */ files) =>
  files
    .map((file) => {
      const [, scheme, width] = file.replace(".png", "").split("_");
      return `<figure><a href="${file}"><img loading="lazy" src="${file}" alt="${file}"></a><figcaption>${scheme}, ${width} px</figcaption></figure>`;
    })
    .join("");
const sections = [...screens].map(([name, files]) => `<h2>${name}</h2><div>${figures(files)}</div>`);
const style =
  "body{font:14px system-ui;margin:24px}div{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}" +
  "figure{margin:0}img{height:420px;max-width:520px;object-fit:cover;object-position:top;border:1px solid #ccc}";
const sheet = join(folder, "index.html");
writeFileSync(
  sheet,
  `<!doctype html><meta charset="utf-8"><title>Screens</title><style>${style}</style>${sections.join("\n")}\n`,
);
console.log(`${screens.size} screens: ${sheet}`);
