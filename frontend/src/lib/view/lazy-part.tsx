/** Parts of the page that are loaded when they are first shown. */
import { type ComponentType, lazy } from "react";

/** Makes each part that failed ask for its module when it is shown next. */
const failed = new Set<() => void>();

/** Imports the module at an address. */
export const modules = {
  from: (address: string): Promise<unknown> => import(/* @vite-ignore */ address),
};

interface Default<Part> {
  default: Part;
}

/**
 * As `lazy`, but a part that failed can be loaded again. Some browsers keep the failure of a module for its address,
 * so the next import has another one.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<Default<ComponentType<Props>>>,
): ComponentType<Props>;
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
): ComponentType<Props>;
export function lazyPart<Props extends object>(
  load: () => Promise<unknown>,
  pick = (module: unknown) => (module as Default<ComponentType<Props>>).default,
): ComponentType<Props> {
  let failedAt: string | null = null;
  const read = async () => {
    try {
      return { default: pick(await (failedAt === null ? load() : modules.from(anotherAddress(failedAt)))) };
    } catch (error) {
      failedAt = addressIn(error) ?? failedAt;
      failed.add(() => {
        Part = lazy(read);
      });
      throw error;
    }
  };
  let Part = lazy(read);
  return function LazyPart(props: Props) {
    return <Part {...props} />;
  };
}

/** After an error: parts that failed load again; without one of these, a module that failed needs the whole page. */
export function loadAgain(error: unknown): void {
  const parts = [...failed];
  failed.clear();
  for (const forget of parts) forget();
  if (parts.length === 0 && isLoadFailure(error)) window.location.reload();
}

let attempt = 0;

function anotherAddress(address: string): string {
  attempt += 1;
  const again = new URL(address);
  again.searchParams.set("again", String(attempt));
  return again.href;
}

/** The address that the browser names in the failure of an import; null: it names none. */
function addressIn(error: unknown): string | null {
  const [address] = (error instanceof Error && /https?:\/\/\S+/.exec(error.message)) || [];
  return address ?? null;
}

function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && /imported module|module script/i.test(error.message);
}
