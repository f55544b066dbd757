/** A result of the palette, and where it leads. */
import type { Driver, TopicStateWord } from "@/api/types";
import type { DriverOrder } from "@/features/drivers/DriverOrderForm";
import type { OrderKind } from "@/features/orders/order";

export type Page =
  | "/replications"
  | "/clusters"
  | "/drivers"
  | "/services"
  | "/configuration"
  | "/configuration/keys"
  | "/configuration/review"
  | "/configuration/transfer"
  | "/configuration/history"
  | "/replications/new"
  | "/clusters/new"
  | "/settings";

/** The orders that the palette offers for a flow. */
export type OrderOfFlow = Exclude<OrderKind, "unthrottle">;

export type Target =
  | { to: Page; key?: string }
  | { to: "/clusters/$alias"; alias: string }
  | { to: "/drivers/$id"; id: string }
  | { to: "/replications/$source/$target"; source: string; target: string; group?: string }
  | {
      to: "/replications/$source/$target";
      source: string;
      target: string;
      topic: string;
      state: TopicStateWord;
    }
  | { to: "/replications/$source/$target/topics/$topic"; source: string; target: string; topic: string }
  | { to: "order"; source: string; target: string; kind: OrderOfFlow; topic?: string }
  | { to: "driver"; driver: string; order: DriverOrder }
  | { to: "audit"; source: string; target: string }
  | { to: "reference" }
  | { to: "theme" }
  | { to: "shortcuts" }
  | { to: "live" };

export interface Place {
  id: string;
  group:
    | "Pinned"
    | "Recent"
    | "Flows"
    | "Topics"
    | "Groups"
    | "Clusters"
    | "Drivers"
    | "Keys"
    | "Pages"
    | "Actions";
  label: string;
  note: string;
  target: Target;
  /** the permission that it needs; absent: none */
  needs?: string;
}

/** The most flows, topics or drivers that get actions without their verb. */
export const MAX_ORDERED = 3;
export const MAX_FLOWS = 8;

/** A driver that the palette knows. */
export type DriverName = Pick<Driver, "parent" | "drain">;
