/** One connection for the whole page: subscribes, answers pings, reconnects. */
import type { LiveFrame } from "@/api/types";
import { backoffDelay } from "@/live/connection";

export const SESSION_ENDED_CODE = 4401;

/** Three pings of the server (15 s apart) missed: the connection is dead although neither side closed it. */
const SILENCE_MS = 45_000;

export interface SocketHandlers {
  /** Returns false when a new snapshot is required. */
  onFrame(frame: LiveFrame): boolean;
  onHeard(): void;
  onOpen(): void;
  onLost(): void;
  onSessionEnded(): void;
}

export type SocketFactory = (url: string) => WebSocket;

export class LiveSocket {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(
    private readonly url: string,
    private readonly topics: readonly string[],
    private readonly handlers: SocketHandlers,
    private readonly open: SocketFactory = (address) => new WebSocket(address),
  ) {}

  start(): void {
    this.isStopped = false;
    this.connect();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.retryTimer);
    clearTimeout(this.silenceTimer);
    this.socket?.close();
    this.socket = null;
  }

  private connect(): void {
    const socket = this.open(this.url);
    this.socket = socket;
    socket.onopen = () => {
      this.attempt = 0;
      this.handlers.onOpen();
      this.watchSilence(socket);
      for (const topic of this.topics) this.subscribe(topic);
    };
    socket.onmessage = (message) => {
      this.watchSilence(socket);
      this.receive(String(message.data));
    };
    socket.onclose = (event) => this.closed(socket, event.code);
  }

  private receive(text: string): void {
    const message = parsed(text);
    if (message === null) return;
    this.handlers.onHeard();
    if (message.type === "ping") this.send({ op: "pong" });
    const isData = message.type === "snapshot" || message.type === "delta";
    if (isData && !this.handlers.onFrame(message as LiveFrame)) this.subscribe(String(message.topic));
  }

  private closed(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    clearTimeout(this.silenceTimer);
    this.socket = null;
    if (this.isStopped) return;
    if (code === SESSION_ENDED_CODE) {
      this.handlers.onSessionEnded();
      return;
    }
    this.handlers.onLost();
    this.retryTimer = setTimeout(() => this.connect(), backoffDelay(this.attempt, Math.random()));
    this.attempt += 1;
  }

  private watchSilence(socket: WebSocket): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => {
      socket.close();
      // A dead peer never answers the closing handshake, so do not wait for it.
      this.closed(socket, 1006);
    }, SILENCE_MS);
  }

  private subscribe(topic: string): void {
    this.send({ op: "sub", topic });
  }

  private send(message: Readonly<Record<string, string>>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

function parsed(text: string): { type: string; topic?: string } | null {
  try {
    const message: unknown = JSON.parse(text);
    const isMessage = typeof message === "object" && message !== null && "type" in message;
    return isMessage ? (message as { type: string; topic?: string }) : null;
  } catch {
    return null;
  }
}
