/** Drivers as the fake service keeps them: a drain ends its tasks after a second, a restart takes two. */
import type { components } from "../../src/api/schema";
import type { Driver } from "../../src/api/types.ts";
import { driversOf } from "../fleet.ts";
import { type Asked, listed } from "../manage.ts";

type Schemas = components["schemas"];
type Drained = NonNullable<Schemas["DrainState"]["drain"]>;

const MOVED_MS = 1_000;
const RESTARTED_MS = 2_000;
const GRACE_MS = 30_000;

export class FakeDrivers {
  private readonly drains = new Map<string, Drained>();
  private readonly restarts = new Map<string, number>();

  /** The answer about drivers, their drains and restarts; undefined for other resources. */
  answer({ method, url, sent }: Asked): unknown {
    const [first, driver = "", order] = url.pathname.replace("/api/v2/", "").split("/");
    if (first !== "drivers") return undefined;
    const now_ms = Date.now();
    if (driver === "") return listed(driversOf(now_ms).map((one) => this.stateOf(one, now_ms)));
    if (order === "drain" && method === "GET") return this.drainOf(driver, now_ms);
    if (method !== "POST") return undefined;
    if (order === "drain") return this.drain(driver, sent as Schemas["DrainOrderRequest"], now_ms);
    if (order === "undrain") return { changed: this.drains.delete(driver), ...this.drainOf(driver, now_ms) };
    return order === "restart" ? this.restart(driver, now_ms) : undefined;
  }

  private stateOf(one: Driver, now_ms: number): Driver {
    const { id, boot, tasks } = one;
    const drain = this.drains.has(id);
    const isBack = now_ms - (this.restarts.get(id) ?? now_ms) > RESTARTED_MS;
    const left = drain && this.drainOf(id, now_ms).drained ? 0 : tasks;
    return { ...one, drain, tasks: left, boot: isBack ? `${boot}-again` : boot };
  }

  private drainOf(driver: string, now_ms: number): Schemas["DrainState"] {
    const drain = this.drains.get(driver) ?? null;
    const drained = drain !== null && now_ms - drain.since_ms > MOVED_MS;
    return { driver, drain, processes: [], tasks: drained ? 0 : 41, drained };
  }

  private drain(
    driver: string,
    { reason = "", expires_ms = null }: Schemas["DrainOrderRequest"],
    now_ms: number,
  ) {
    this.drains.set(driver, { reason, by: "admin", since_ms: now_ms, expires_ms });
    return { changed: true, ...this.drainOf(driver, now_ms) } satisfies Schemas["DrainChange"];
  }

  private restart(driver: string, now_ms: number): Schemas["RestartChange"] {
    this.restarts.set(driver, now_ms);
    const restart = { id: "r1", by: "admin", since_ms: now_ms, until_ms: now_ms + GRACE_MS };
    return { driver, restart, processes: [] };
  }
}
