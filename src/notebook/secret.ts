import { notebookHost } from "../call/progress.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { quoted } from "../util/text.js";

/**
 * Asks for a password or an API key, below the running cell. The characters are hidden, nothing is stored, and what was typed is removed
 * from every output of this notebook.
 *
 * @param text what to ask for
 * @throws ValidationError if the text is empty; ArchiveError `NO_INPUT` if nobody can answer, as in `archive-frames run`
 * @example
 * const archive = new ArchiveClient({ apiKey: await secret("ARCHIVE_API_KEY") });
 */
export async function secret(text: string): Promise<string> {
  if (typeof text !== "string" || text.trim() === "") {
    throw invalid("text", text, 'Say what to type, for example "ARCHIVE_API_KEY".');
  }
  const { input } = notebookHost();
  if (input !== undefined) return input(/[:?>]\s*$/.test(text) ? `${text.trimEnd()} ` : `${text}: `);
  // A prompt that is the name of an environment variable says how to do without it.
  const name = /^[A-Z_][A-Z0-9_]{0,60}$/.test(text) ? text : "MY_VALUE";
  throw new ArchiveError(`Nobody can answer the prompt ${quoted(text)} here.`, {
    code: "NO_INPUT",
    hint: `Run the cell in Jupyter, or set the environment variable ${name} and write process.env.${name} instead.`,
  });
}
