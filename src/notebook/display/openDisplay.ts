import { randomUUID } from "node:crypto";
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
    const display_id = randomUUID();
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

/** Shows a bundle in stock tslab in one message: its public API sends one type at a time. Undefined outside stock tslab. */
function tslabDisplay(): OpenDisplay | undefined {
  if (tslabWriter() === undefined) return undefined;
  return (bundle) => {
    const display_id = randomUUID();
    const send = (data: MimeBundle, update: boolean) =>
      tslabWriter()?.({ data, metadata: {}, transient: { display_id } }, update);
    send(bundle, false);
    return { update: (next) => send(next, true) };
  };
}

/** The writer of the tslab copy that runs the kernel. It changes from cell to cell, so it is looked up on each call. */
function tslabWriter(): WriteDisplayData | undefined {
  if (!("__tslab__" in globalThis)) return undefined;
  const { cache } = createRequire(import.meta.url);
  const writers = Object.entries(cache).map(([path, module]) =>
    /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(path) ? module?.exports.lastWriteDisplayData : undefined,
  );
  return writers.find((write) => typeof write === "function");
}
