import { Command, Option } from "commander";
import { printLines } from "./print.js";

/** `archive-frames cite <file>`: cites a saved file, with date and hash. */
export function citeCommand(): Command {
  return new Command("cite")
    .description("print a citation of a saved file: the search, the date and the hash of the file")
    .argument("<file>", "a saved file")
    .option("--bibtex", "as a BibTeX entry")
    .addOption(
      new Option("--methods", "as a methods paragraph: searches, limits, counts and steps").conflicts("bibtex"),
    )
    .action(async (file: string, { bibtex, methods }: { bibtex?: boolean; methods?: boolean }) => {
      const { citation, citationBibtex, citationText } = await import("../files/package/citation.js");
      const cited = await citation(file);
      if (methods) {
        const { methodsText } = await import("../files/package/methodsOf.js");
        printLines([methodsText(cited.provenance)]);
      } else printLines(bibtex ? citationBibtex(cited).split("\n") : [citationText(cited)]);
    });
}
