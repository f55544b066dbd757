import { afterEach, expect, test, vi } from "vitest";
import { sameOrder, sameReset } from "@/features/orders/commands";
import { endOf, offeredOf, partRefusal, rateOf, refusal } from "@/features/orders/order";
import { placeOf } from "@/features/orders/place";
import { quoted } from "@/lib/by-hand";
import { fieldZone, setZone } from "@/lib/time";
import { wholeNumber } from "@/lib/words";

afterEach(() => {
  setZone("local");
  vi.unstubAllEnvs();
});

test("what a flow cannot do now has a reason", () => {
  expect(refusal("pause", "healthy", "run")).toBeNull();
  expect(refusal("resume", "paused", "pause")).toBeNull();
  expect(refusal("restart", "paused", "pause")).toBeNull();
  expect(refusal("pause", "disabled", "run")).toBe("The flow is disabled");
  expect(refusal("throttle", "disabled", "run")).toBeNull();
  expect(refusal("restart", "paused", "stop")).toBe("The flow is stopped: no task runs");
  expect(refusal("pause", "paused", "stop")).toBe("The flow is stopped: start it");
  expect(refusal("pause", undefined, undefined)).toBe("Loading the state of the flow");
});

test("a paused flow is resumed, also before the details of it are read", () => {
  expect(offeredOf("paused", undefined)).toContain("resume");
  expect(offeredOf("healthy", undefined)).toContain("pause");
  expect(offeredOf("paused", "stop")).toContain("start");
});

const FLOW = { source: "us-east", target: "eu-central" };

test("an order is also a command and a request with any reason", () => {
  const scope = { topic: "orders", partition: 0, task: null };
  const same = sameOrder(FLOW, { action: "pause", reason: "it's $HOME", scope, until_ms: 0 });

  expect(same.command).toBe(
    "srm-control flows pause 'us-east->eu-central' --topic orders --partition 0 --reason 'it'\\''s $HOME' --until 1970-01-01T00:00:00.000Z",
  );
  expect(same.request).toContain("/api/v2/replications/us-east/eu-central/actions");
  expect(same.request).toContain('"reason":"it\'\\\'\'s $HOME"');
});

test("a throttle is a rate or off, a reset has its position", () => {
  const rated = sameOrder(FLOW, { action: "throttle", reason: "r", bytes_per_second: 5, until_ms: null });
  const off = sameOrder(FLOW, { action: "throttle", reason: "r", bytes_per_second: null, until_ms: null });
  const reset = sameReset(FLOW, { topic: "orders", partition: null, to: { offset: 7 }, reason: "" });

  expect(rated.command).toBe("srm-control flows throttle 'us-east->eu-central' 5 --reason r");
  expect(off.command).toBe("srm-control flows throttle 'us-east->eu-central' off --reason r");
  expect(reset.command).toBe("srm-control topics reset 'us-east->eu-central' --topic orders --to offset:7");
});

test.each(["a b", "$(reboot)", "`id`", "a;b", "a'b", ""])("the shell reads %o as one word", (word) => {
  expect(quoted(word).startsWith("'")).toBe(true);
});

test("an end is counted from the order; without a length the order stays", () => {
  expect(endOf("1h", 1_000)).toBe(3_601_000);
  expect(endOf("", 1_000)).toBeNull();
});

test.each([
  ["10", 10_000_000],
  ["0.5", 500_000],
  ["1000000000", 1e15],
  ["1000000000.1", null],
  ["99999999999999999999999", null],
  ["0", null],
  ["-1", null],
  ["ten", null],
  ["", null],
])("a rate of %o MB per second", (typed, rate) => {
  expect(rateOf(typed)).toBe(rate);
});

test("a partition or offset is a whole number", () => {
  expect(["3", " 12 ", "-1", "1.5", "", "x"].map(wholeNumber)).toEqual([3, 12, null, null, null, null]);
});

test("a reset goes to an end of the log, an offset or a time, and to nothing incomplete", () => {
  expect(placeOf("latest", "")).toBe("latest");
  expect(placeOf("offset", "0")).toEqual({ offset: 0 });
  expect(placeOf("offset", "")).toBeNull();
  expect(placeOf("time", "soon")).toBeNull();
  expect(placeOf("time", "")).toBeNull();
});

test.each([
  ["utc", 12, "In UTC, the time zone of the page"],
  ["local", 10, "In UTC+2, the time zone of the page"],
] as const)("the time of a reset is in the zone of the page (%s)", (zone, hour, named) => {
  vi.stubEnv("TZ", "Europe/Berlin");
  setZone(zone);
  const typed = "2026-07-02T12:30";
  expect(placeOf("time", typed)).toEqual({ timestamp_ms: Date.UTC(2026, 6, 2, hour, 30) });
  expect(fieldZone(typed)).toBe(named);
});

test("a topic or a partition is resumed or started only after a pause or a stop of it", () => {
  const partition = { topic: "orders", partition: 3 };
  const topic = { topic: "orders", partition: null };
  const other = { topic: "orders", partition: 4 };
  expect(partRefusal("resume", partition, [], [])).toBe("The partition is not paused");
  expect(partRefusal("resume", partition, [other], [])).toBe("The partition is not paused");
  expect(partRefusal("resume", partition, [topic], [])).toBeNull();
  expect(partRefusal("resume", topic, [other], [])).toBeNull();
  expect(partRefusal("pause", topic, [other], [])).toBeNull();
  expect(partRefusal("pause", partition, [topic], [])).toBe("The partition is paused");
  expect(partRefusal("start", topic, [], [])).toBe("The topic is not stopped");
  expect(partRefusal("pause", partition, [], [partition])).toBe("The partition is stopped: start it");
  expect(partRefusal("resume", partition, undefined, undefined)).toBeNull();
});
