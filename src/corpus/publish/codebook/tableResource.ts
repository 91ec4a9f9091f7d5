import { sum } from "../../../util/sum.js";
import { isPartitioned } from "../tableFiles.js";
import type { DescribedColumn, DescribedTable } from "./describeTables.js";

/** Keys of the tables, as Table Schema writes them. */
const KEYS: Readonly<Record<DescribedTable["name"], object>> = {
  mentions: { primaryKey: ["id"] },
  hits: {
    primaryKey: ["search", "id"],
    foreignKeys: [{ fields: ["id"], reference: { resource: "mentions", fields: ["id"] } }],
  },
  people: { primaryKey: ["id"] },
  programs: { primaryKey: ["id"] },
  searches: { primaryKey: ["search", "span"] },
  runs: { primaryKey: ["began"] },
};

/** The description of a table for `datapackage.json`. The table has at least one file. */
export function tableResource({ name, files, columns }: DescribedTable) {
  const hashes = files.map(({ sha256 }) => `sha256:${sha256}`);
  const isMonthly = isPartitioned(name);
  return {
    $schema: "https://datapackage.org/profiles/2.0/dataresource.json",
    name,
    path: isMonthly ? files.map(({ path }) => path) : files[0]?.path,
    type: "table",
    format: "parquet",
    mediatype: "application/vnd.apache.parquet",
    bytes: sum(files.map(({ bytes }) => bytes)),
    ...(isMonthly ? { hashes } : { hash: hashes[0] }),
    schema: {
      fields: columns.map(field),
      missingValues: [],
      // The year and the month are in the names of the directories.
      ...(isMonthly ? { fieldsMatch: "superset" } : {}),
      ...KEYS[name],
    },
  };
}

function field({ name, dtype, meaning, unit, labels }: DescribedColumn) {
  const categories = labels.map(([value, label]) => ({ value, label }));
  return {
    name,
    type: fieldType(dtype),
    description: meaning,
    ...(unit === null ? {} : { unit }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

/** The type of Table Schema for a dtype. */
export function fieldType(dtype: string): "datetime" | "integer" | "number" | "date" | "boolean" | "string" {
  if (dtype.startsWith("Datetime")) return "datetime";
  if (dtype.startsWith("Int") || dtype.startsWith("UInt")) return "integer";
  if (dtype.startsWith("Float")) return "number";
  return dtype === "Date" ? "date" : dtype === "Bool" || dtype === "Boolean" ? "boolean" : "string";
}
