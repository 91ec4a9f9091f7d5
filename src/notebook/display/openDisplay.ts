import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { notebookHost } from "../../call/notebookHost.js";
import type { MimeBundle, OpenDisplay } from "./mimeBundle.js";

/** Shows a bundle in this package's kernel, Deno's kernel or stock tslab; anywhere else, prints its text to the console. */
export const openDisplay: OpenDisplay = (bundle) => {
  const { display = denoDisplay() ?? tslabDisplay() ?? consoleDisplay } = notebookHost();
  try {
    return display(bundle);
  } catch {
    // The kernel is not ready yet, or the copy found is not the one that runs the cell.
    return consoleDisplay(bundle);
  }
};

const consoleDisplay: OpenDisplay = (bundle) => {
  const show = (shown: MimeBundle) => console.log(String(shown["text/plain"]));
  show(bundle);
  return { update: show };
};

interface DenoJupyter {
  broadcast(type: string, content: Record<string, unknown>): unknown;
}

function denoDisplay(): OpenDisplay | undefined {
  const jupyter = denoJupyter();
  if (jupyter === undefined) return undefined;
  return (bundle) => {
    const display_id = crypto.randomUUID();
    const send = (type: string, data: MimeBundle) => {
      // Some versions of Deno return a promise. A disconnected front end must not fail the cell.
      const sent = jupyter.broadcast(type, { data, metadata: {}, transient: { display_id } });
      Promise.resolve(sent).catch(() => undefined);
    };
    send("display_data", bundle);
    return { update: (next) => send("update_display_data", next) };
  };
}

function denoJupyter(): DenoJupyter | undefined {
  try {
    const { jupyter } = (globalThis as { Deno?: { jupyter?: Partial<DenoJupyter> } }).Deno ?? {};
    return typeof jupyter?.broadcast === "function" ? (jupyter as DenoJupyter) : undefined;
  } catch {
    // Outside a notebook, reading Deno.jupyter throws.
    return undefined;
  }
}

/** tslab's function that sends display data to Jupyter. */
type WriteDisplayData = (content: Record<string, unknown>, update: boolean) => void;

interface Tslab {
  newDisplay(): { raw(type: string, data: string): void };
}

/** Shows a bundle in stock tslab; undefined outside stock tslab. */
export function tslabDisplay(): OpenDisplay | undefined {
  const kernel = (globalThis as { __tslab__?: { require?: (name: string) => unknown } }).__tslab__;
  if (typeof kernel?.require !== "function") return undefined;
  const write = findWriter();
  return write === undefined ? richestType(kernel.require("tslab") as Tslab) : wholeBundle(write);
}

/** Sends the whole bundle in one message. tslab's public API sends one type at a time. */
function wholeBundle(write: () => WriteDisplayData): OpenDisplay {
  return (bundle) => {
    const display_id = randomBytes(8).toString("hex");
    const send = (data: MimeBundle, update: boolean) =>
      write()({ data, metadata: {}, transient: { display_id } }, update);
    send(bundle, false);
    return { update: (next) => send(next, true) };
  };
}

/** Fallback: sends only the richest type that tslab's public API supports. */
function richestType({ newDisplay }: Tslab): OpenDisplay {
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

/** The writer of the tslab copy that runs the kernel. It changes from cell to cell, so it is looked up on each call. */
function findWriter(): (() => WriteDisplayData) | undefined {
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
