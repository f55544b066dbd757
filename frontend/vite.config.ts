import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const service = process.env.SRM_DEV_SERVICE ?? "http://127.0.0.1:6670";
const toService = { target: service, changeOrigin: false };

export default defineConfig({
  base: "/",
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    assetsDir: "assets",
    manifest: true,
    target: "es2023",
    // A data: URL in a stylesheet would need a hole in the content security policy.
    assetsInlineLimit: 0,
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
