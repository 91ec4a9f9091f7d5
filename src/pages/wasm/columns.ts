// The buffers of Arrow columns, written from the cells of rows.

import { copy, unescape } from "./text";
import { float, setValue, timestamp, value, whole } from "./scalars";
import { BOOL, DATETIME, FLOAT, LONG, STRING } from "./shape";
import { ESCAPED, HEADER, NULL_CELL } from "./rows";

// A run of rows with the same shape, 24 bytes (u32 each): their first record, its size, their number, where offsets are counted from,
// which cell has the column (all ones: none), and the type of that cell.
const RUN: usize = 24;

let runs: usize = 0;
let runsEnd: usize = 0;

export function setRuns(at: usize, count: i32): void {
  runs = at;
  runsEnd = at + (count as usize) * RUN;
}

/** Of the last column: null values, and the bytes of its validity, of its offsets or values, and of its text. */
export let nulls: i32 = 0;
export let validityBytes: usize = 0;
export let valueBytes: usize = 0;
export let textBytes: usize = 0;

// @ts-ignore: decorator
@inline function aligned(p: usize): usize {
  return (p + 63) & ~63;
}

/** Of the last run that was read. */
let cells: usize = 0;
let stride: usize = 0;
let runRows: i32 = 0;
let base: usize = 0;
let source: i32 = 0;

/** Reads a run. Gives false if none of its rows has the column. */
function read(run: usize): bool {
  stride = load<u32>(run, 4);
  runRows = load<i32>(run, 8);
  base = load<u32>(run, 12);
  const cell = load<i32>(run, 16);
  source = load<i32>(run, 20);
  cells = (load<u32>(run) as usize) + HEADER + ((cell as usize) << 3);
  return cell >= 0;
}

/** Writes the validity bits; leaves nothing and gives `out` back if no value is null. */
function validity(rows: i32, out: usize): usize {
  const bytes: usize = ((rows + 7) >> 3) as usize;
  memory.fill(out, 0, bytes);
  let r = 0;
  let valid = 0;
  for (let run = runs; run < runsEnd; run += RUN) {
    if (read(run)) {
      let cell = cells;
      for (const last = r + runRows; r < last; r++) {
        if (load<u64>(cell) < NULL_CELL) {
          const at = out + (r >> 3);
          store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
          valid++;
        }
        cell += stride;
      }
    } else r += runRows;
  }
  nulls = rows - valid;
  validityBytes = nulls > 0 ? bytes : 0;
  return nulls > 0 ? aligned(out + bytes) : out;
}

/** Writes the buffers of a column one after another, each aligned to 64 bytes. Gives the position after them. */
export function column(type: i32, rows: i32, out: usize): usize {
  out = validity(rows, out);
  textBytes = 0;
  if (type == STRING) return texts(rows, out);
  if (type == BOOL) return booleans(rows, out);
  valueBytes = (rows as usize) << 3;
  for (let run = runs; run < runsEnd; run += RUN) {
    if (!read(run)) {
      memory.fill(out, 0, (runRows as usize) << 3);
      out += (runRows as usize) << 3;
      continue;
    }
    let cell = cells;
    for (let r = 0; r < runRows; r++) {
      const c = load<u64>(cell);
      cell += stride;
      setValue(0);
      if (c < NULL_CELL) {
        const p = base + ((c & 0xffffffff) as usize);
        // LONG is a whole number of any size, or the bits of a value of the type of the column.
        if (source == LONG) whole(p, 20);
        else if (type == DATETIME) timestamp(p);
        else if (type == FLOAT && source == FLOAT) float(p);
        else {
          whole(p, 20);
          if (type == FLOAT) setValue(reinterpret<i64>(value as f64));
        }
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
    const has = read(run);
    let cell = cells;
    for (const last = r + runRows; r < last; r++) {
      if (!has) continue;
      const c = load<u64>(cell);
      cell += stride;
      if (c >= NULL_CELL || load<u8>(base + ((c & 0xffffffff) as usize)) != 0x74) continue;
      const at = out + (r >> 3);
      store<u8>(at, load<u8>(at) | ((1 as u8) << ((r & 7) as u8)));
    }
  }
  return aligned(out + valueBytes);
}

function texts(rows: i32, out: usize): usize {
  valueBytes = ((rows as usize) + 1) << 2;
  let offset = out;
  const text = aligned(out + valueBytes);
  out = text;
  store<i32>(offset, 0);
  for (let run = runs; run < runsEnd; run += RUN) {
    const has = read(run);
    let cell = cells;
    for (let r = 0; r < runRows; r++) {
      if (has) {
        const c = load<u64>(cell);
        cell += stride;
        if (c < NULL_CELL) {
          const p = base + ((c & 0xffffffff) as usize), length = ((c & ~ESCAPED) >> 32) as usize;
          out = c & ESCAPED ? unescape(p, p + length, out) : copy(p, length, out);
        }
      }
      offset += 4;
      store<i32>(offset, (out - text) as i32);
    }
  }
  textBytes = out - text;
  return aligned(out);
}
