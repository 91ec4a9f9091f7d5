import { ByteFile } from "../byteFile.js";
import type { OpenWriter } from "../frameWriter.js";
import { jsonLines } from "./jsonLines.js";

const LINE_END = 0x0a;
const COMMA = 0x2c;

/** A JSON list with a row per line, see {@link jsonLines}. */
export const jsonWriter: OpenWriter = ({ path }) => {
  const file = new ByteFile(path);
  const lines = jsonLines();
  let isEmpty = true;
  return {
    async write(frame) {
      if (frame.height === 0) return;
      await file.write(isEmpty ? "[\n" : ",\n");
      isEmpty = false;
      await file.write(withCommas(lines(frame), frame.height));
    },
    async end() {
      await file.write(isEmpty ? "[]\n" : "\n]\n");
      await file.end();
    },
    abort: () => file.abort(),
  };
};

/** Lines with a comma between one and the next, and no line end after the last. Within a row JSON has no raw line end. */
function withCommas(lines: Buffer, rows: number): Buffer {
  const list = Buffer.allocUnsafe(lines.length + rows - 2);
  let to = 0;
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(LINE_END, from);
    if (from > 0) to = list.writeUInt8(LINE_END, list.writeUInt8(COMMA, to));
    to += lines.copy(list, to, from, end);
    from = end + 1;
  }
  return list;
}
