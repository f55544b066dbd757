import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: "node",
      include: ["e2e/**/*.e2e.ts"],
      fileParallelism: false,
      testTimeout: 90_000,
      hookTimeout: 60_000,
    },
  }),
);
