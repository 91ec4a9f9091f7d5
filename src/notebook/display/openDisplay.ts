import { notebookHost } from "../../call/notebookHost.js";
import type { MimeBundle } from "./mimeBundle.js";
import { tslabDisplay } from "./tslabDisplay.js";

/** Something that is shown and can be replaced by something else. */
export interface OpenedDisplay {
  update(bundle: MimeBundle): void;
}

/** Shows a bundle at once, and gives the way to replace it. */
export type OpenDisplay = (bundle: MimeBundle) => OpenedDisplay;

/** What the kernel of this package offers, besides what every host does. */
export interface DisplayHost {
  /** Shows a bundle under the running cell. */
  readonly display?: OpenDisplay | undefined;
}

/**
 * Shows a bundle wherever this runs: in the kernel of this package, in Deno's, in stock tslab; elsewhere its text goes to the
 * console.
 */
export const openDisplay: OpenDisplay = (bundle) => {
  const { display = denoDisplay() ?? tslabDisplay() ?? consoleDisplay } = notebookHost() as DisplayHost;
  try {
    return display(bundle);
  } catch {
    // A kernel that is not ready, or a copy of it that is not the one that runs.
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
      // Some versions of Deno answer with a promise, others at once. A front end that has gone is no reason to fail.
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
    // Outside a notebook Deno throws where its member is looked at.
    return undefined;
  }
}
