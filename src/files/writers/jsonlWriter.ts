import { ByteFile } from "../byteFile.js";
import type { OpenWriter } from "../frameWriter.js";
import { jsonLines } from "./jsonLines.js";

/** JSON Lines: an object per row and line, see {@link jsonLines}. */
export const jsonlWriter: OpenWriter = ({ path }) => {
  const file = new ByteFile(path);
  const lines = jsonLines();
  return {
    write: (frame) => file.write(lines(frame)),
    end: () => file.end(),
    abort: () => file.abort(),
  };
};
