import { resolve } from "node:path";
import { Command } from "commander";
import type { CodingPageOptions } from "../coding/index.js";
import { invalid } from "../errors/validators.js";
import { readInputFile } from "../fs/readInputFile.js";
import { userPath } from "../fs/userPath.js";
import { isObject } from "../util/isObject.js";
import { wholeNumber } from "./flags.js";
import { printLines } from "./print.js";

const MAX_CODEBOOK_BYTES = 2 ** 24;

interface Values extends CodingPageOptions {
  readonly codebook: string;
  readonly output: string;
}

/** `archive-frames code <file>`: writes coding pages for the passages of a saved file. */
export function codeCommand(): Command {
  return new Command("code")
    .description("write a coding page per coder for the passages in a saved file; it works offline, in any browser")
    .argument("<file>", "a saved sample of mentions")
    .requiredOption(
      "--codebook <path>",
      'a JSON file: {"variables": {"stance": ["support", "oppose"]}, "instructions": "…"}',
    )
    .option("-o, --output <dir>", "where to write the pages", "coding/")
    .option("--coders <name...>", "names of the coders (default: A)")
    .option("--overlap <n>", "passages that every coder gets (default: all)", wholeNumber)
    .option("--context <n>", "passages to show before and after each one (default: 0)", wholeNumber)
    .option("--blind <what...>", "what to hide from coders: person, party, program, time")
    .option("--seed <n>", "random seed for the order of the passages (default: 1)", wholeNumber)
    .action(async (file: string, { codebook: path, output, ...options }: Values) => {
      const { codebook, codingPage } = await import("../coding/index.js");
      const { readFrame } = await import("../files/readFrame.js");
      const { variables, instructions } = readJson(path);
      const book = codebook(variables as never, { instructions: instructions as string | undefined });
      const pages = await codingPage(await readFrame(file), book, output, options);
      printLines([
        ...pages.map((page) => resolve(page)),
        `Put the CSV files that the pages export into ${output}, for readCodes.`,
      ]);
    });
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(readInputFile(userPath("codebook", path, "codebook.json"), MAX_CODEBOOK_BYTES).toString());
  } catch (error) {
    throw invalid("codebook", path, `It is not readable JSON (${(error as Error).message}).`);
  }
  if (isObject(content) && "variables" in content) return content as Readonly<Record<string, unknown>>;
  throw invalid("codebook", path, 'Give a file with {"variables": {"stance": ["support", "oppose"]}}.');
}
