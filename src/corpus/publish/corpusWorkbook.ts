import { dirname } from "node:path";
import { Workbook } from "../../files/writers/xlsx/workbook.js";
import { codebook } from "./codebook/codebook.js";
import { filesOf, readPart, TABLES } from "./tableFiles.js";

const CODEBOOK = "codebook";

/**
 * Writes a corpus as an Excel workbook: a sheet for each table that has rows, then one with the codebook. Equal tables give equal bytes.
 *
 * @param dir the directory of the corpus
 * @param path the file to create
 */
export async function corpusWorkbook(dir: string, path: string): Promise<void> {
  const workbook = new Workbook({ path, scratch: dirname(path), name: CODEBOOK });
  try {
    for (const name of TABLES) {
      const files = filesOf(dir, name);
      if (files.length > 0) await workbook.beginTable(name);
      for (const file of files) await workbook.write(readPart(dir, file));
    }
    await workbook.beginTable(CODEBOOK);
    await workbook.write(codebook(dir));
    await workbook.end();
  } catch (error) {
    await workbook.abort();
    throw error;
  }
}
