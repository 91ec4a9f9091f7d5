import type { NotebookOutput } from "../../notebook/notebookFormat.js";
import type { Content, Message } from "../protocol/wire.js";

/** Converts messages of a kernel to the outputs of the cells of one notebook. */
export class CellOutputs {
  /** The outputs of each display: an update may concern an earlier cell. */
  readonly #displays = new Map<unknown, Array<{ outputs: NotebookOutput[]; output: NotebookOutput }>>();

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], { header, content }: Message): NotebookOutput | undefined {
    const { msg_type } = header;
    if (msg_type === "update_display_data") return this.#update(content);
    if (!/^(?:stream|display_data|execute_result|error)$/.test(msg_type)) return undefined;
    const { transient, ...rest } = content;
    let output = { output_type: msg_type, ...rest } as NotebookOutput;
    const last = outputs.at(-1);
    if (msg_type === "stream" && last?.output_type === "stream" && last.name === content.name) {
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
