import type { NotebookOutput } from "../../notebook/notebookFormat.js";
import type { Content } from "../protocol/message.js";

/** Turns published messages into the outputs of cells. */
export class CellOutputs {
  /** The outputs of each display: an update may concern an earlier cell. */
  readonly #displays = new Map<unknown, Array<{ outputs: NotebookOutput[]; output: NotebookOutput }>>();

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], type: string, content: Content): NotebookOutput | undefined {
    if (type === "update_display_data") return this.#update(content);
    if (type === "clear_output") outputs.splice(0);
    if (!/^(?:stream|display_data|execute_result|error)$/.test(type)) return undefined;
    const { transient, ...rest } = content;
    let output = { output_type: type, ...rest } as NotebookOutput;
    const last = outputs.at(-1);
    if (type === "stream" && last?.output_type === "stream" && last.name === content.name) {
      output = { ...output, text: `${last.text}${content.text}` };
      outputs.pop();
    }
    outputs.push(output);
    const id = displayId(content);
    if (id !== undefined) this.#displays.set(id, [...(this.#displays.get(id) ?? []), { outputs, output }]);
    return output;
  }

  #update(content: Content): NotebookOutput | undefined {
    const places = this.#displays.get(displayId(content)) ?? [];
    for (const place of places) {
      const at = place.outputs.indexOf(place.output);
      if (at < 0) continue;
      place.output = { ...place.output, data: content.data, metadata: content.metadata };
      place.outputs[at] = place.output;
    }
    return places.at(-1)?.output;
  }
}

function displayId({ transient }: Content): unknown {
  return (transient as { readonly display_id?: unknown } | undefined)?.display_id;
}
