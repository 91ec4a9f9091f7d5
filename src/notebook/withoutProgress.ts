import { isObject } from "../util/isObject.js";
import { isProgress } from "./display/progressView.js";
import { textOf } from "./notebookFormat.js";

type Output = Readonly<Record<string, unknown>>;

/**
 * The outputs of a cell without progress bars, and text that only a bar stood between as one: how long things took, and
 * whether there was a bar at all, would make two runs differ that say the same.
 */
export function withoutProgress<T extends Output>(outputs: readonly T[]): T[] {
  const kept: T[] = [];
  for (const output of outputs) {
    if (showsProgress(output)) continue;
    const last = kept.at(-1);
    if (last !== undefined && isStream(last) && isStream(output) && last.name === output.name) {
      kept[kept.length - 1] = { ...last, text: `${textOf(last.text)}${textOf(output.text)}` };
    } else {
      kept.push(output);
    }
  }
  return kept;
}

function isStream({ output_type, text }: Output): boolean {
  return output_type === "stream" && textOf(text) !== undefined;
}

function showsProgress({ data }: Output): boolean {
  const html = isObject(data) ? textOf(data["text/html"]) : undefined;
  return html !== undefined && isProgress(html);
}
