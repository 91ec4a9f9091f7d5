import type { NotebookOutput } from "../../notebook/notebookFormat.js";
import type { Content, Message } from "../protocol/message.js";

/** Converts messages of a kernel to the outputs of the cells of one notebook. */
export class CellOutputs {
  /** The outputs of each display: an update may concern an earlier cell. */
  readonly #displays = new Map<string, Array<{ outputs: NotebookOutput[]; output: NotebookOutput }>>();
  #clearing: NotebookOutput[] | undefined;

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], { header, content }: Message): NotebookOutput | undefined {
    switch (header.msg_type) {
      case "clear_output":
        if (content.wait === true) this.#clearing = outputs;
        else outputs.splice(0);
        return undefined;
      case "update_display_data":
        return this.#update(content);
      case "stream":
      case "display_data":
      case "execute_result":
      case "error":
        if (this.#clearing === outputs) outputs.splice(0);
        this.#clearing = undefined;
        return header.msg_type === "stream"
          ? this.#addText(outputs, content)
          : this.#addOutput(outputs, header.msg_type, content);
    }
    return undefined;
  }

  #addText(outputs: NotebookOutput[], { name, text }: Content): NotebookOutput {
    const last = outputs.at(-1);
    const continues = last?.output_type === "stream" && last.name === name;
    const output: NotebookOutput = { output_type: "stream", name, text: `${continues ? last.text : ""}${text}` };
    outputs.splice(continues ? -1 : outputs.length, 1, output);
    return output;
  }

  #addOutput(outputs: NotebookOutput[], output_type: NotebookOutput["output_type"], content: Content): NotebookOutput {
    const { transient: _, ...rest } = content;
    const output: NotebookOutput = { output_type, ...rest };
    outputs.push(output);
    const id = displayId(content);
    if (id !== undefined) this.#displays.set(id, [...(this.#displays.get(id) ?? []), { outputs, output }]);
    return output;
  }

  #update(content: Content): NotebookOutput | undefined {
    const places = this.#displays.get(displayId(content) ?? "") ?? [];
    for (const place of places) {
      const at = place.outputs.indexOf(place.output);
      if (at < 0) continue;
      place.output = { ...place.output, data: content.data, metadata: content.metadata };
      place.outputs[at] = place.output;
    }
    return places.at(-1)?.output;
  }
}

function displayId({ transient }: Content): string | undefined {
  const { display_id } = (transient ?? {}) as { readonly display_id?: unknown };
  return typeof display_id === "string" ? display_id : undefined;
}
