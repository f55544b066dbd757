import { Kbd } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, Suspense, useEffect, useRef, useState } from "react";
import type { FlowAddress } from "@/api/queries";
import { areShortcutsOn, isTyping, type Pressed, type Shortcut, shortcutOf } from "@/app/palette/shortcuts";
import type { WantedDriverOrder } from "@/features/drivers/DriverOrderForm";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { lazyPart } from "@/lib/view/lazy-part";
import { useLiveStore } from "@/live/context";

const Palette = lazyPart(() => import("@/app/palette/Palette"));
const AuditDialog = lazyPart(() => import("@/features/audits/AuditDialog"));
const DriverOrderForm = lazyPart(() => import("@/features/drivers/DriverOrderForm"));
const ShortcutHelp = lazyPart(() => import("@/app/palette/ShortcutHelp"));

type Open = "palette" | "help" | null;

/** Calls back with the shortcut that was pressed outside of fields. Ctrl K works everywhere. */
function useShortcuts(onShortcut: (shortcut: Shortcut) => void): void {
  useEffect(() => {
    let before: Pressed | null = null;
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onShortcut("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areShortcutsOn())
        return;
      if (document.querySelector("[role=dialog]") !== null) return;
      const pressed = { key: event.key, time_ms: event.timeStamp };
      const shortcut = shortcutOf(pressed, before);
      before = pressed;
      if (shortcut === null) return;
      event.preventDefault();
      onShortcut(shortcut);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [onShortcut]);
}

/** The search of the header, with the shortcuts of all pages. */
export function Finder() {
  const navigate = useNavigate();
  const store = useLiveStore();
  const [open, setOpen] = useState<Open>(null);
  const [dialog, order] = useOrderDialog();
  const [ofDriver, orderDriver] = useState<WantedDriverOrder | null>(null);
  const [audited, audit] = useState<FlowAddress | null>(null);
  const [act] = useState(() => (shortcut: Shortcut) => {
    if (shortcut === "palette" || shortcut === "help") setOpen(shortcut);
    else if (shortcut === "live") store.setPaused(!store.isPaused());
    else void navigate({ to: shortcut, search: ({ from, to }) => ({ from, to }) });
  });
  useShortcuts(act);
  const early = useRef("");
  if (open !== "palette") early.current = "";
  return (
    <>
      <button type="button" className="finder" aria-haspopup="dialog" onClick={() => setOpen("palette")}>
        <IconSearch size={16} aria-hidden />
        <span>Search flows, topics, clusters</span>
        <Kbd className="finder-key">Ctrl K</Kbd>
      </button>
      {dialog}
      <Suspense fallback={null}>
        {ofDriver !== null && <DriverOrderForm {...ofDriver} onClose={() => orderDriver(null)} />}
        {audited !== null && <AuditDialog flow={audited} onClose={() => audit(null)} />}
      </Suspense>
      {open === "palette" && (
        <Suspense fallback={<TypedWhileLoading typed={early} />}>
          <Palette
            early={early}
            onClose={() => setOpen(null)}
            onHelp={() => setOpen("help")}
            onOrder={order}
            onAudit={audit}
            onDriver={orderDriver}
          />
        </Suspense>
      )}
      <Suspense fallback={null}>{open === "help" && <ShortcutHelp onClose={() => setOpen(null)} />}</Suspense>
    </>
  );
}

/** Keeps the keys that are typed before the palette has been loaded: they are the start of the search. */
function TypedWhileLoading({ typed }: { typed: RefObject<string> }) {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Backspace") typed.current = typed.current.slice(0, -1);
      else if (event.key.length === 1) typed.current += event.key;
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, [typed]);
  return null;
}
