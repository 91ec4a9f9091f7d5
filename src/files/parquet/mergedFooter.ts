import { CompactReader, ThriftType } from "./compactReader.js";
import { binary, type Field, integer, list, struct } from "./compactWriter.js";

/** Field ids of FileMetaData in parquet.thrift. */
const NUM_ROWS = 3;
const ROW_GROUPS = 4;
const KEY_VALUE_METADATA = 5;

/** Replaces an integer, or integers in the fields of a struct or of each struct in a list. */
type Edit = ((value: number) => number) | { readonly [field: number]: Edit };

/** What changes in a RowGroup if its bytes move: offsets in the file, and its ordinal. */
function rowGroupEdit(shift: number, ordinal: number): Edit {
  // An offset of zero means that there is none.
  const offset = (value: number) => (value === 0 ? 0 : value + shift);
  // Data pages, index pages, dictionary pages and Bloom filter.
  const columnMetadata = { 9: offset, 10: offset, 11: offset, 14: offset };
  // The chunk, its metadata, its offset index and its column index.
  const columnChunk = { 2: offset, 3: columnMetadata, 4: offset, 6: offset };
  return { 1: columnChunk, 5: offset, 7: () => ordinal };
}

/**
 * The footer of a Parquet file that consists of the row groups of other files, one after another. The files must have the
 * same schema.
 */
export class MergedFooter {
  #fields: readonly Field[] | undefined;
  readonly #rowGroups: Buffer[] = [];
  #rows = 0;

  /**
   * Adds the row groups of a file.
   *
   * @param metadata the Thrift-encoded FileMetaData in the footer of the file
   * @param shift how many bytes further its row groups begin in the merged file
   * @throws RangeError if the metadata is malformed, or if the schema is not that of the other files
   */
  add(metadata: Buffer, shift: number): void {
    const fields = fieldsOf(metadata);
    this.#fields ??= fields;
    if (!haveSameSchema(fields, this.#fields)) throw new RangeError("the row groups have different schemas");
    this.#rows += new CompactReader(fieldValue(fields, NUM_ROWS)).readInteger();
    const groups = fieldValue(fields, ROW_GROUPS);
    const reader = new CompactReader(groups);
    reader.readList((type) => {
      this.#rowGroups.push(edited(groups, reader, type, rowGroupEdit(shift, this.#rowGroups.length)));
    });
  }

  /**
   * Encodes the FileMetaData of the merged file. Requires at least one file.
   *
   * @param keyValues entries to add to the key-value metadata
   */
  encode(keyValues: ReadonlyMap<string, string>): Buffer {
    const fields = this.#fields as readonly Field[];
    const known = fields.find(({ id }) => id === KEY_VALUE_METADATA);
    const entries = [...(known === undefined ? [] : elementsOf(known.value)), ...[...keyValues].map(keyValue)];
    const changed = [
      { id: NUM_ROWS, type: ThriftType.i64, value: integer(this.#rows) },
      { id: ROW_GROUPS, type: ThriftType.list, value: list(ThriftType.struct, this.#rowGroups) },
      { id: KEY_VALUE_METADATA, type: ThriftType.list, value: list(ThriftType.struct, entries) },
    ];
    return struct([...fields.filter(isConstant), ...changed].sort((a, b) => a.id - b.id));
  }
}

/** Whether all files that are merged have the same value of a field. */
function isConstant({ id }: Field): boolean {
  return id !== NUM_ROWS && id !== ROW_GROUPS && id !== KEY_VALUE_METADATA;
}

function haveSameSchema(a: readonly Field[], b: readonly Field[]): boolean {
  const [first, second] = [a.filter(isConstant), b.filter(isConstant)];
  return (
    first.length === second.length &&
    first.every(({ id, value }, at) => second[at]?.id === id && second[at].value.equals(value))
  );
}

function fieldsOf(metadata: Buffer): Field[] {
  const fields: Field[] = [];
  const reader = new CompactReader(metadata);
  reader.readStruct((id, type) => {
    const start = reader.position;
    reader.skip(type);
    fields.push({ id, type, value: metadata.subarray(start, reader.position) });
  });
  return fields;
}

function fieldValue(fields: readonly Field[], id: number): Buffer {
  const field = fields.find((other) => other.id === id);
  if (field === undefined) throw new RangeError(`the metadata has no field ${id}`);
  return field.value;
}

function elementsOf(encodedList: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  const reader = new CompactReader(encodedList);
  reader.readList((type) => {
    const start = reader.position;
    reader.skip(type);
    elements.push(encodedList.subarray(start, reader.position));
  });
  return elements;
}

function keyValue([key, value]: readonly [string, string]): Buffer {
  return struct([
    { id: 1, type: ThriftType.binary, value: binary(key) },
    { id: 2, type: ThriftType.binary, value: binary(value) },
  ]);
}

/** A copy of the value that a reader is at, with some of its integers replaced. */
function edited(bytes: Buffer, reader: CompactReader, type: number, edit: Edit): Buffer {
  const parts: Buffer[] = [];
  let copied = reader.position;
  const read = (valueType: number, change: Edit | undefined): void => {
    if (change === undefined) reader.skip(valueType);
    else if (typeof change !== "function") {
      if (valueType === ThriftType.list) reader.readList((element) => read(element, change));
      else reader.readStruct((id, field) => read(field, change[id]));
    } else {
      parts.push(bytes.subarray(copied, reader.position), integer(change(reader.readInteger())));
      copied = reader.position;
    }
  };
  read(type, edit);
  parts.push(bytes.subarray(copied, reader.position));
  return Buffer.concat(parts);
}
