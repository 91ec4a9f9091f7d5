import type { NotebookOutput } from "../../notebook/notebookFormat.js";
import type { Content } from "../protocol/message.js";

/** Turns published messages into the outputs of cells. */
export class CellOutputs {
  /** The latest output of each display, and its place: an update may concern an earlier cell. */
  readonly #displays = new Map<unknown, { readonly outputs: NotebookOutput[]; readonly output: NotebookOutput }>();

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], type: string, { transient, ...content }: Content): NotebookOutput | undefined {
    const id = (transient as { readonly display_id?: unknown } | undefined)?.display_id;
    if (type === "update_display_data") return this.#update(id, content);
    if (type === "clear_output") outputs.splice(0);
    if (!/^(?:stream|display_data|execute_result|error)$/.test(type)) return undefined;
    let output = { output_type: type, ...content } as NotebookOutput;
    const last = outputs.at(-1);
    if (type === "stream" && last?.output_type === "stream" && last.name === content.name) {
      output = { ...output, text: `${last.text}${content.text}` };
      outputs.pop();
    }
    outputs.push(output);
    if (id !== undefined) this.#displays.set(id, { outputs, output });
    return output;
  }

  #update(id: unknown, content: Content): NotebookOutput | undefined {
    const { outputs = [], output: before } = this.#displays.get(id) ?? {};
    const at = before === undefined ? -1 : outputs.indexOf(before);
    if (before === undefined || at < 0) return undefined;
    const output = { ...before, ...content };
    outputs[at] = output;
    this.#displays.set(id, { outputs, output });
    return output;
  }
}
