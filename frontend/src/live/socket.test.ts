import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveSocket, SESSION_ENDED_CODE, type SocketHandlers } from "@/live/socket";
import { aFlow, aFrame } from "@/test/builders";

class FakeSocket {
  readyState: number = WebSocket.OPEN;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {}
  receive(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let sockets: FakeSocket[] = [];
const handlers = {
  onFrame: vi.fn<SocketHandlers["onFrame"]>(() => true),
  onHeard: vi.fn(),
  onOpen: vi.fn(),
  onLost: vi.fn(),
  onSessionEnded: vi.fn(),
};

function connected(): FakeSocket {
  const live = new LiveSocket("ws://service/ws/v1/live", ["flows"], handlers, () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket as unknown as WebSocket;
  });
  live.start();
  const socket = sockets[0];
  if (socket === undefined) throw new Error("no socket was opened");
  socket.onopen?.();
  return socket;
}

beforeEach(() => {
  sockets = [];
  vi.useFakeTimers();
  vi.clearAllMocks();
});

afterEach(() => {
  vi.useRealTimers();
});

test("it subscribes as soon as it is open", () => {
  expect(connected().sent).toEqual([{ op: "sub", topic: "flows" }]);
});

test("it answers a ping", () => {
  const socket = connected();
  socket.receive({ type: "ping", time_ms: 1 });
  expect(socket.sent.at(-1)).toEqual({ op: "pong" });
});

test("it subscribes again when a frame was missed", () => {
  const socket = connected();
  handlers.onFrame.mockReturnValueOnce(false);
  socket.receive(aFrame([aFlow()], { type: "delta", seq: 9 }));
  expect(socket.sent).toEqual([
    { op: "sub", topic: "flows" },
    { op: "sub", topic: "flows" },
  ]);
});

test("it comes back after a loss", () => {
  connected().onclose?.({ code: 1006 });
  expect(handlers.onLost).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(500);
  expect(sockets).toHaveLength(2);
});

test("it does not come back when the session has ended", () => {
  connected().onclose?.({ code: SESSION_ENDED_CODE });
  vi.advanceTimersByTime(60_000);
  expect(handlers.onSessionEnded).toHaveBeenCalledOnce();
  expect(sockets).toHaveLength(1);
});

test("a connection that says nothing for long is given up", () => {
  connected();
  vi.advanceTimersByTime(46_000);
  expect(handlers.onLost).toHaveBeenCalledOnce();
  expect(sockets).toHaveLength(2);
});

test("what is not a message is passed over", () => {
  const socket = connected();
  socket.onmessage?.({ data: "not JSON" });
  expect(handlers.onHeard).not.toHaveBeenCalled();
});
