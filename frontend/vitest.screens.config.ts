import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: "node",
      include: ["e2e/**/*.screens.ts"],
      maxWorkers: 2,
      testTimeout: 180_000,
      hookTimeout: 60_000,
      reporters: ["verbose"],
    },
  }),
);
