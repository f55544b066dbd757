/** The system's Chromium: nothing is downloaded. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CANDIDATES = [
  process.env.CHROME_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export async function startBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      "no Chromium found: install the package `chromium` or set CHROME_PATH to a Chrome or Chromium",
    );
  }
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export type Scheme = "light" | "dark";

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** what the console complained about, violations of the content security policy among it */
  complaints: string[];
}

/** What the library says of a menu that a test closes before the menu has taken the focus. */
const CLOSED_MENU = /use-focus-trap\] Failed to find focusable element/;

export async function visit(
  browser: Browser,
  url: string,
  scheme: Scheme,
  size = { width: 1440, height: 1090 },
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: scheme,
    locale: "en-US",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    const isComplaint = ["error", "warning"].includes(message.type()) && !CLOSED_MENU.test(message.text());
    if (isComplaint) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, context, complaints };
}
