import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const service = process.env.SRM_DEV_SERVICE ?? "http://127.0.0.1:6670";
const toService = { target: service, changeOrigin: false };

/** A copy of the font under a name without a hash, for the pages that have no bundle: sign-in, API reference. */
function fontForOtherPages(): Plugin {
  return {
    name: "font-for-other-pages",
    generateBundle(_, bundle) {
      const font = Object.values(bundle).find(({ fileName }) => fileName.endsWith(".woff2"));
      if (font?.type === "asset")
        this.emitFile({ type: "asset", fileName: "assets/inter.woff2", source: font.source });
    },
  };
}

/** The font is loaded with the scripts: a text that is first drawn in another font would move what is below it. */
function preloadedFont(): Plugin {
  return {
    name: "preloaded-font",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => name.endsWith(".woff2") && !name.endsWith("/inter.woff2"))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${name}` },
            injectTo: "head-prepend",
          })),
    },
  };
}

const START_PAGE = "/features/replications/OverviewPage.tsx";

/** The start page is loaded with the scripts that ask for it, not after them. */
function preloadedStartPage(): Plugin {
  return {
    name: "preloaded-start-page",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const wanted = new Set<string>();
        const add = (fileName: string): void => {
          const chunk = bundle[fileName];
          if (chunk?.type !== "chunk" || wanted.has(fileName)) return;
          wanted.add(fileName);
          chunk.imports.forEach(add);
        };
        for (const each of Object.values(bundle)) {
          if (each.type === "chunk" && each.facadeModuleId?.endsWith(START_PAGE)) add(each.fileName);
        }
        return [...wanted]
          .filter((fileName) => !html.includes(fileName))
          .map((fileName) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `/${fileName}` },
            injectTo: "head",
          }));
      },
    },
  };
}

export default defineConfig({
  base: "/",
  plugins: [react(), fontForOtherPages(), preloadedFont(), preloadedStartPage()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    assetsDir: "assets",
    manifest: true,
    target: "es2023",
    // A data: URL in a stylesheet would need a hole in the content security policy.
    assetsInlineLimit: 0,
    // The lists of what each lazy chunk needs would be part of the first paint; stylesheets cannot be left out.
    modulePreload: {
      resolveDependencies: (_, needed, { hostType }) =>
        hostType === "html" ? needed : needed.filter((file) => file.endsWith(".css")),
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": toService,
      "/login": toService,
      "/logout": toService,
      "/swagger": toService,
      "/static": toService,
      "/ws": { ...toService, ws: true },
    },
  },
});
