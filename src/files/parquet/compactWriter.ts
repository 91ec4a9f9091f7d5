import { ThriftType } from "./compactReader.js";

/** Functions that encode values by Thrift's compact protocol. */

/** A non-negative integer as a varint: a size or a count. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  // Bit operators would truncate to 32 bits.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** An integer, zigzag-encoded. */
export function integer(value: number): Buffer {
  return varint(value >= 0 ? 2 * value : -2 * value - 1);
}

/** A string or binary value. */
export function binary(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** A list of encoded elements. */
export function list(elementType: number, elements: readonly Buffer[]): Buffer {
  const { length } = elements;
  const header =
    length < 15
      ? Buffer.from([(length << 4) | elementType])
      : Buffer.concat([Buffer.from([0xf0 | elementType]), varint(length)]);
  return Buffer.concat([header, ...elements]);
}

/** A field of a struct, with its encoded value. */
export interface Field {
  readonly id: number;
  readonly type: number;
  readonly value: Buffer;
}

/** A struct. The ids of the fields increase. */
export function struct(fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.flatMap(({ id, type, value }) => {
    const delta = id - last;
    last = id;
    const header = delta < 16 ? Buffer.from([(delta << 4) | type]) : Buffer.concat([Buffer.from([type]), integer(id)]);
    return [header, value];
  });
  return Buffer.concat([...parts, Buffer.from([ThriftType.stop])]);
}
