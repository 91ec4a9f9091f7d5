// Writes the buffers of Arrow columns from the cells of rows.

import { copy, unescape } from "./text";
import { float, timestamp, whole } from "./scalars";
import { BOOL, DATETIME, FLOAT, NULL, STRING } from "./schema";
import { ESCAPED, HEADER, NULL_CELL } from "./rows";
import { State } from "./state";

// A run of rows of one schema, three u32: its first record, its number of rows, the base of its offsets.
const RUN: usize = 12;

export function setRuns(at: usize, count: i32, recordBytes: usize): void {
  State.runs = at;
  State.runsEnd = at + (count as usize) * RUN;
  State.stride = recordBytes;
}

// @ts-ignore: decorator
@inline function aligned(p: usize): usize {
  return (p + 63) & ~63;
}

// @ts-ignore: decorator
@inline function read(run: usize): void {
  State.cells = (load<u32>(run) as usize) + State.cellAt;
  State.runRows = load<i32>(run, 4);
  State.base = load<u32>(run, 8);
}

/** Writes the validity bitmap. Returns `out` unchanged if no value is null. */
function validity(rows: i32, out: usize): usize {
  const bytes: usize = ((rows + 7) >> 3) as usize;
  memory.fill(out, 0, bytes);
  let r = 0;
  let valid = 0;
  for (let run = State.runs; run < State.runsEnd; run += RUN) {
    read(run);
    for (const last = r + State.runRows; r < last; r++) {
      if (load<u64>(State.cells) < NULL_CELL) {
        const at = out + (r >> 3);
        store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
        valid++;
      }
      State.cells += State.stride;
    }
  }
  State.nulls = rows - valid;
  State.validityBytes = State.nulls > 0 ? bytes : 0;
  return State.nulls > 0 ? aligned(out + bytes) : out;
}

/** Writes the buffers of a column, each aligned to 64 bytes. Returns the position after them. */
export function column(cell: i32, type: i32, rows: i32, out: usize): usize {
  State.cellAt = HEADER + ((cell as usize) << 3);
  out = validity(rows, out);
  State.valuesAt = out;
  State.textBytes = 0;
  if (type == STRING || type == NULL) return texts(rows, out);
  if (type == BOOL) return booleans(rows, out);
  State.valueBytes = (rows as usize) << 3;
  for (let run = State.runs; run < State.runsEnd; run += RUN) {
    read(run);
    for (let r = 0; r < State.runRows; r++) {
      const c = load<u64>(State.cells);
      State.cells += State.stride;
      State.value = 0;
      if (c < NULL_CELL) {
        const p = State.base + ((c & 0xffffffff) as usize);
        if (type == DATETIME) timestamp(p);
        else if (type == FLOAT) float(p);
        else whole(p, 20);
      }
      store<i64>(out, State.value);
      out += 8;
    }
  }
  return aligned(out);
}

function booleans(rows: i32, out: usize): usize {
  State.valueBytes = ((rows + 7) >> 3) as usize;
  memory.fill(out, 0, State.valueBytes);
  let r = 0;
  for (let run = State.runs; run < State.runsEnd; run += RUN) {
    read(run);
    for (const last = r + State.runRows; r < last; r++) {
      const c = load<u64>(State.cells);
      State.cells += State.stride;
      if (c >= NULL_CELL || load<u8>(State.base + ((c & 0xffffffff) as usize)) != 0x74) continue;
      const at = out + (r >> 3);
      store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
    }
  }
  return aligned(out + State.valueBytes);
}

function texts(rows: i32, out: usize): usize {
  State.valueBytes = ((rows as usize) + 1) << 3;
  let offset = out;
  State.textAt = aligned(out + State.valueBytes);
  out = State.textAt;
  store<i64>(offset, 0);
  for (let run = State.runs; run < State.runsEnd; run += RUN) {
    read(run);
    for (let r = 0; r < State.runRows; r++) {
      const c = load<u64>(State.cells);
      State.cells += State.stride;
      if (c < NULL_CELL) {
        const p = State.base + ((c & 0xffffffff) as usize), length = ((c & ~ESCAPED) >> 32) as usize;
        out = c & ESCAPED ? unescape(p, p + length, out) : copy(p, length, out);
      }
      offset += 8;
      store<i64>(offset, (out - State.textAt) as i64);
    }
  }
  State.textBytes = out - State.textAt;
  return aligned(out);
}
