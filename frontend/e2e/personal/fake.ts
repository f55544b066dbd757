/** What the fake service keeps for the person: pinned flows, columns and saved views. */
import type { Preferences, SavedView } from "../../src/api/types.ts";
import { type Asked, Created, listed, NO_CONTENT, Refused } from "../manage.ts";

export class FakePersonal {
  preferences: Preferences = { pinned_flows: [], columns: [] };
  views: SavedView[] = [];

  /** The answer of these resources; undefined for all others. */
  answer({ method, url, sent }: Asked): unknown {
    const [, first, part, id] = url.pathname.replace("/api/", "").split("/");
    if (first !== "me") return undefined;
    if (part === "preferences") {
      if (method === "PUT") this.preferences = { ...this.preferences, ...(sent as Preferences) };
      return this.preferences;
    }
    return part === "views" ? this.#view(method, Number(id ?? 0), sent as SavedView) : undefined;
  }

  #view(method: string, id: number, sent: SavedView): unknown {
    if (method === "GET") return listed(this.views);
    if (method === "DELETE") {
      this.views = this.views.filter((view) => view.id !== id);
      return NO_CONTENT;
    }
    const known = this.views.find((view) => view.id === id);
    if (method === "PATCH" && known === undefined)
      return new Refused(404, { detail: "There is no such view." });
    const usual = { id: this.views.length + 1, changed_ms: Date.now(), is_default: false };
    const view = { ...usual, ...known, ...sent };
    const others = this.views.filter((one) => one.id !== view.id);
    this.views = [...others.map((one) => (view.is_default ? { ...one, is_default: false } : one)), view];
    return known === undefined ? new Created(view) : view;
  }
}
