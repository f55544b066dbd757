import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: "node",
      include: ["e2e/bench/*.bench.ts"],
      fileParallelism: false,
      testTimeout: 180_000,
      hookTimeout: 60_000,
    },
  }),
);
