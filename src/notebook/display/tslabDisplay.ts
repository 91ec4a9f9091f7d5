import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { MimeBundle } from "./mimeBundle.js";
import type { OpenDisplay } from "./openDisplay.js";

/** What tslab sends to Jupyter with. */
type WriteDisplayData = (content: Record<string, unknown>, update: boolean) => void;

interface Tslab {
  newDisplay(): { raw(type: string, data: string): void };
}

/** How stock tslab shows a bundle; undefined where this does not run in it. */
export function tslabDisplay(): OpenDisplay | undefined {
  const kernel = (globalThis as { __tslab__?: { require?: (name: string) => unknown } }).__tslab__;
  if (typeof kernel?.require !== "function") return undefined;
  const write = writer();
  return write === undefined ? oneType(kernel.require("tslab") as Tslab) : whole(write);
}

/** The whole bundle in one message, as tslab itself sends them, though it offers one type at a time. */
function whole(write: () => WriteDisplayData): OpenDisplay {
  return (bundle) => {
    const display_id = randomBytes(8).toString("hex");
    const send = (data: MimeBundle, update: boolean) =>
      write()({ data, metadata: {}, transient: { display_id } }, update);
    send(bundle, false);
    return { update: (next) => send(next, true) };
  };
}

/** The richest form of a bundle that tslab's own displays take. */
function oneType({ newDisplay }: Tslab): OpenDisplay {
  return (bundle) => {
    const display = newDisplay();
    const show = (shown: MimeBundle) => {
      const type = ["text/html", "image/svg+xml"].find((rich) => typeof shown[rich] === "string") ?? "text/plain";
      display.raw(type, String(shown[type]));
    };
    show(bundle);
    return { update: show };
  };
}

/** The writer of the kernel's own copy of tslab, which another copy would not have: it changes from cell to cell. */
function writer(): (() => WriteDisplayData) | undefined {
  const { cache } = createRequire(import.meta.url);
  const loaded = Object.keys(cache).filter((path) => /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(path));
  const current = () =>
    loaded
      .map(
        (path) =>
          (cache[path] as { exports: { lastWriteDisplayData?: WriteDisplayData | null } }).exports.lastWriteDisplayData,
      )
      .find((write) => typeof write === "function");
  return current() === undefined ? undefined : () => current() as WriteDisplayData;
}
