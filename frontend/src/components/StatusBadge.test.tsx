import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import type { FlowStatus } from "@/api/types";
import { StatusBadge } from "@/components/StatusBadge";

const LOOKS: Record<FlowStatus, [word: string, tone: string, icon: string]> = {
  healthy: ["Healthy", "ok", "circle-check-filled"],
  degraded: ["Degraded", "warn", "alert-triangle-filled"],
  starting: ["Starting", "warn", "hourglass-filled"],
  interrupted: ["Interrupted", "bad", "plug-connected-x"],
  failed: ["Failed", "bad", "circle-x-filled"],
  unknown: ["Unknown", "idle", "help-circle-filled"],
  idle: ["Idle", "idle", "clock-filled"],
  paused: ["Paused", "idle", "player-pause-filled"],
  disabled: ["Disabled", "idle", "player-stop-filled"],
};

function lookOf(status: string): (string | null | undefined)[] {
  const { container } = render(<StatusBadge status={status} />);
  const badge = container.querySelector<HTMLElement>(".badge");
  const icon = [...(badge?.querySelector("svg")?.classList ?? [])].find((name) => name.includes("icon-"));
  return [badge?.textContent, badge?.dataset.tone, icon?.replace("tabler-icon-", "")];
}

test.each(Object.entries(LOOKS))("%s is a word, a tone and an icon", (status, look) => {
  expect(lookOf(status)).toEqual(look);
});

test("no two statuses have the same icon", () => {
  expect(new Set(Object.values(LOOKS).map(([, , icon]) => icon)).size).toBe(Object.keys(LOOKS).length);
});

test("a status that the page does not know keeps its word, in the neutral tone", () => {
  expect(lookOf("resting")).toEqual(["Resting", "idle", "help-circle-filled"]);
});
