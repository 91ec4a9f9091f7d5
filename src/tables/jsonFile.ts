import type { DuckDBConnection } from "@duckdb/node-api";
import { pl } from "../frames/polars.js";
import { castToFields, type TextType, textTypes } from "./fields.js";
import { literal } from "./openDuckDB.js";
import { ROWS, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";
import { castText, DATE_TYPES, inferTypes, NUMBER_TYPES, type TextColumn } from "./textTypes.js";

/** A member of the rows, with the JSON types of its values, without null: `VARCHAR`, `UBIGINT`, `OBJECT`, … */
type Member = readonly [name: string, types: readonly string[]];

const MAX_OBJECT_BYTES = 2 ** 25;

/** Replaces a response of the service, an object with a list of rows and perhaps a cursor, by its rows. */
const UNNEST_PAGE = `create table page_rows as
  with members as (select each.key, each.value from objects, json_each(objects.json) as each where each.key <> 'cursor')
  select each.value from members, json_each(members.value) as each where (select count(*) from objects) = 1
    and (select count(*) from members) = 1 and json_type(members.value, '$[0]') = 'OBJECT' order by each.id;
  delete from objects where exists (from page_rows); insert into objects from page_rows`;

export const readJson: TableReader = async (input) => {
  // An empty file is valid JSON Lines, but not valid JSON.
  if (input.file.bytes === 0) throw new Error("it is empty");
  return readJsonLines(input);
};

/**
 * Reads a list of objects, or objects one after another. Reads values as text, because DuckDB rounds numbers, and infers the type of a
 * column from all of its values.
 */
export const readJsonLines: TableReader = async (input) => {
  const { connection, directory, fields, matchesDescription } = input;
  const path = await utf8File(input.file, input.encoding);
  const objects = `read_json_objects(${literal(path)}, format = 'auto', maximum_object_size = ${MAX_OBJECT_BYTES})`;
  await connection.run(`create table objects as select json from ${objects}`);
  if (fields.size === 0) await connection.run(UNNEST_PAGE);
  const members = await membersOfRows(connection);
  if (members.length === 0) {
    const columns = matchesDescription ? [...fields.keys()].map((name) => pl.Series(name, [], pl.Utf8)) : [];
    return { frame: castToFields(pl.DataFrame(columns), fields) };
  }
  // DuckDB columns may not differ only in case, so members are addressed by JSON pointers.
  const pointers = members.map(([name]) => literal(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`));
  await connection.run(
    `create table texts as select json_extract_string(json, [${pointers.join()}]) as v from objects`,
  );
  const cells = `(select ${members.map((_member, at) => `v[${at + 1}] as c${at}`).join()} from texts)`;
  const columns = members.map(([name, types], at): JsonColumn => {
    const describedTypes = textTypes(fields.get(name));
    // castToFields reads described lists from their JSON.
    const isList = describedTypes === undefined && types.length === 1 && types[0] === "ARRAY";
    return { name: `c${at}`, describedTypes, candidates: isList ? ITEM_TYPES : candidateTypes(types), isList };
  });
  const values = await typedValues(connection, cells, columns);
  await connection.run(`create view ${ROWS} as select ${values.join()} from ${cells}`);
  const names = members.map(([name]) => name);
  return { frame: castToFields(await tableFrame(connection, ROWS, directory, names), fields) };
};

/** The members of the rows in the order in which they appear. */
async function membersOfRows(connection: DuckDBConnection): Promise<readonly Member[]> {
  const noRow = await connection.runAndReadAll("select 1 from objects where json_type(json) <> 'OBJECT' limit 1");
  if (noRow.currentRowCount > 0) throw new Error("it contains no rows: write a list of objects, or one per line");
  const rows = await connection.runAndReadAll(
    `select each.key, list(distinct each.type) filter (each.type <> 'NULL') from objects, json_each(objects.json) as each
    group by all order by min({ row: objects.rowid, id: each.id })`,
  );
  return rows.getRowsJS().map(([name, types]) => [String(name), (types ?? []) as string[]]);
}

interface JsonColumn extends TextColumn {
  readonly isList: boolean;
}

/** Strings stay text, because they are in quotes in JSON. */
const ITEM_TYPES: readonly TextType[] = [...NUMBER_TYPES, "BOOLEAN"];

function candidateTypes([type, ...others]: readonly string[]): readonly TextType[] {
  if ([type, ...others].every((each) => /INT$|^DOUBLE$/.test(each ?? ""))) return NUMBER_TYPES;
  if (others.length > 0) return [];
  if (type === "BOOLEAN") return ["BOOLEAN"];
  return type === "VARCHAR" ? DATE_TYPES : [];
}

/** An SQL expression for each column, which casts it, or the items of its lists, to the inferred type. */
async function typedValues(connection: DuckDBConnection, cells: string, columns: readonly JsonColumn[]) {
  const lists = columns.filter(({ isList }) => isList);
  const items = lists.map(({ name }) => `unnest(json_extract(${name}, '$[*]')::varchar[]) as ${name}`);
  const types = new Map([
    ...(await inferTypes(
      connection,
      cells,
      columns.filter(({ isList }) => !isList),
    )),
    ...(await inferTypes(connection, `(select ${items.join()} from ${cells})`, lists)),
  ]);
  return columns.map(({ name, isList }) => {
    const type = types.get(name);
    if (isList) return `from_json(${name}, '["VARCHAR"]')::${type ?? "VARCHAR"}[] as ${name}`;
    return `${type === undefined ? name : castText(name, type)} as ${name}`;
  });
}
