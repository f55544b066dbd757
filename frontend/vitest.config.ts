import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: "jsdom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["src/test/setup.ts"],
      // The files of a worker share its modules: loading them again for each file takes longer than the tests.
      isolate: false,
      maxWorkers: 2,
      testTimeout: 40_000,
    },
  }),
);
