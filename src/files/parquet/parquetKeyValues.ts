import { CompactReader, ThriftType } from "./compactReader.js";

/** Field ids in parquet.thrift: FileMetaData.key_value_metadata, KeyValue.key and KeyValue.value. */
const KEY_VALUE_METADATA_FIELD = 5;
const KEY_FIELD = 1;
const VALUE_FIELD = 2;

/**
 * The `key_value_metadata` of a Parquet file. All other metadata is skipped. Time and memory are linear in the length of the
 * metadata, even if it is hostile.
 *
 * @param metadata the Thrift-encoded FileMetaData in the footer of the file
 * @throws RangeError if the metadata is malformed
 * @example
 * parquetKeyValues(metadata).get("archive-frames"); //=> '{"operation":"mentions",…}'
 */
export function parquetKeyValues(metadata: Uint8Array): Map<string, string> {
  const entries = new Map<string, string>();
  const reader = new CompactReader(metadata);
  reader.readStruct((field, type) => {
    if (field !== KEY_VALUE_METADATA_FIELD || type !== ThriftType.list) return reader.skip(type);
    reader.readList((elementType) => {
      if (elementType !== ThriftType.struct) return reader.skip(elementType);
      let key: string | undefined;
      let value: string | undefined;
      reader.readStruct((entryField, entryType) => {
        if (entryType !== ThriftType.binary) return reader.skip(entryType);
        if (entryField === KEY_FIELD) key = reader.readString();
        else if (entryField === VALUE_FIELD) value = reader.readString();
        else reader.skip(entryType);
      });
      if (key !== undefined && value !== undefined) entries.set(key, value);
    });
  });
  return entries;
}
