import { Command } from "commander";
import { citation, citationBibtex, citationText } from "../files/package/citation.js";
import { printLines } from "./print.js";

/**
 * `archive-frames cite <file>`: a citation of a saved file, with day and hash.
 *
 * @example
 * program.addCommand(citeCommand());
 */
export function citeCommand(): Command {
  return new Command("cite")
    .description("print a citation of a saved file: what was asked, when, and the hash of the file")
    .argument("<file>", "a file that was saved, or the folder of a dataset")
    .option("--bibtex", "for BibTeX")
    .action(async (file: string, { bibtex }: { bibtex?: boolean }) => {
      const cited = await citation(file);
      printLines(bibtex ? citationBibtex(cited).split("\n") : [citationText(cited)]);
    });
}
