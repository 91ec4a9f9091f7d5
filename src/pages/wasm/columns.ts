// Writes the buffers of Arrow columns from the cells of rows.

import { copy, unescape } from "./text";
import { float, setValue, timestamp, value, whole } from "./scalars";
import { BOOL, DATETIME, FLOAT, NULL, STRING } from "./shape";
import { ESCAPED, HEADER, NULL_CELL } from "./rows";

// A run of rows of one shape, three u32: its first record, its number of rows, the base of its offsets.
const RUN: usize = 12;

let runs: usize = 0;
let runsEnd: usize = 0;
let stride: usize = 0;

export function setRuns(at: usize, count: i32, recordBytes: usize): void {
  runs = at;
  runsEnd = at + (count as usize) * RUN;
  stride = recordBytes;
}

/** About the last column: null count, bytes of the validity bitmap, position and bytes of its values (or offsets) and of its text. */
export let nulls: i32 = 0;
export let validityBytes: usize = 0;
export let valuesAt: usize = 0;
export let valueBytes: usize = 0;
export let textAt: usize = 0;
export let textBytes: usize = 0;

// @ts-ignore: decorator
@inline function aligned(p: usize): usize {
  return (p + 63) & ~63;
}

/** The offset of the column in a record; the next cell, the number of rows and the base of the current run. */
let cellAt: usize = 0;
let cells: usize = 0;
let runRows: i32 = 0;
let base: usize = 0;

// @ts-ignore: decorator
@inline function read(run: usize): void {
  cells = (load<u32>(run) as usize) + cellAt;
  runRows = load<i32>(run, 4);
  base = load<u32>(run, 8);
}

/** Writes the validity bitmap. Returns `out` unchanged if no value is null. */
function validity(rows: i32, out: usize): usize {
  const bytes: usize = ((rows + 7) >> 3) as usize;
  memory.fill(out, 0, bytes);
  let r = 0;
  let valid = 0;
  for (let run = runs; run < runsEnd; run += RUN) {
    read(run);
    for (const last = r + runRows; r < last; r++) {
      if (load<u64>(cells) < NULL_CELL) {
        const at = out + (r >> 3);
        store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
        valid++;
      }
      cells += stride;
    }
  }
  nulls = rows - valid;
  validityBytes = nulls > 0 ? bytes : 0;
  return nulls > 0 ? aligned(out + bytes) : out;
}

/** Writes the buffers of a column, each aligned to 64 bytes. Returns the position after them. */
export function column(cell: i32, type: i32, rows: i32, out: usize): usize {
  cellAt = HEADER + ((cell as usize) << 3);
  out = validity(rows, out);
  valuesAt = out;
  textBytes = 0;
  if (type == STRING || type == NULL) return texts(rows, out);
  if (type == BOOL) return booleans(rows, out);
  valueBytes = (rows as usize) << 3;
  for (let run = runs; run < runsEnd; run += RUN) {
    read(run);
    for (let r = 0; r < runRows; r++) {
      const c = load<u64>(cells);
      cells += stride;
      setValue(0);
      if (c < NULL_CELL) {
        const p = base + ((c & 0xffffffff) as usize);
        if (type == DATETIME) timestamp(p);
        else if (type == FLOAT) float(p);
        else whole(p, 20);
      }
      store<i64>(out, value);
      out += 8;
    }
  }
  return aligned(out);
}

function booleans(rows: i32, out: usize): usize {
  valueBytes = ((rows + 7) >> 3) as usize;
  memory.fill(out, 0, valueBytes);
  let r = 0;
  for (let run = runs; run < runsEnd; run += RUN) {
    read(run);
    for (const last = r + runRows; r < last; r++) {
      const c = load<u64>(cells);
      cells += stride;
      if (c >= NULL_CELL || load<u8>(base + ((c & 0xffffffff) as usize)) != 0x74) continue;
      const at = out + (r >> 3);
      store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
    }
  }
  return aligned(out + valueBytes);
}

function texts(rows: i32, out: usize): usize {
  valueBytes = ((rows as usize) + 1) << 3;
  let offset = out;
  textAt = aligned(out + valueBytes);
  out = textAt;
  store<i64>(offset, 0);
  for (let run = runs; run < runsEnd; run += RUN) {
    read(run);
    for (let r = 0; r < runRows; r++) {
      const c = load<u64>(cells);
      cells += stride;
      if (c < NULL_CELL) {
        const p = base + ((c & 0xffffffff) as usize), length = ((c & ~ESCAPED) >> 32) as usize;
        out = c & ESCAPED ? unescape(p, p + length, out) : copy(p, length, out);
      }
      offset += 8;
      store<i64>(offset, (out - textAt) as i64);
    }
  }
  textBytes = out - textAt;
  return aligned(out);
}
