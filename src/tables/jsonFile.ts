import type { DuckDBConnection } from "@duckdb/node-api";
import { pl } from "../frames/polars.js";
import { type Fields, type TextType, textTypes, withFields } from "./fields.js";
import { literal } from "./openDuckDB.js";
import { ROWS, startOf, type TableInput, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";
import { castText, DATE_TYPES, NUMBER_TYPES, typesOfText } from "./textTypes.js";

/** A member of the rows, or of an object in them. */
interface Member {
  readonly path: readonly string[];
  /** The JSON types of its values, without null: `VARCHAR`, `UBIGINT`, `OBJECT`, … */
  readonly types: readonly string[];
  /** The JSON types of the items of lists. */
  readonly items?: readonly string[] | undefined;
}

/** Objects within more objects become JSON. */
const MAX_DEPTH = 8;
const MAX_OBJECT_BYTES = 2 ** 25;
const MAX_BLANK_BYTES = 2 ** 16;

export const readJson: TableReader = (input) => readJsonFile(input, false);

export const readJsonLines: TableReader = (input) => readJsonFile(input, true);

/** Reads values as text, which DuckDB does not round. The text of all values of a column decides about its type. */
async function readJsonFile(input: TableInput, isLines: boolean): ReturnType<TableReader> {
  const { connection, directory, fields, isDescribed } = input;
  const path = await utf8File(input.file, input.encoding);
  const start = (await startOf(path, MAX_BLANK_BYTES)).toString().trimStart();
  // JSON Lines without rows are an empty file.
  if (start === "" && !isLines) throw new Error("it is empty");
  const format = start.startsWith("[") ? "array" : isLines ? "newline_delimited" : "unstructured";
  const objects = `read_json_objects(${literal(path)}, format = '${format}', maximum_object_size = ${MAX_OBJECT_BYTES})`;
  await connection.run(`create table objects as select json from ${objects}`);
  const others = await connection.runAndReadAll("select 1 from objects where json_type(json) <> 'OBJECT' limit 1");
  if (others.currentRowCount > 0) throw new Error("it contains no rows: write a list of objects, or one per line");
  const members = await membersOfRows(connection);
  if (members.length === 0) {
    const columns = isDescribed ? [...fields.keys()].map((name) => pl.Series(name, [], pl.Utf8)) : [];
    return { frame: withFields(pl.DataFrame(columns), fields) };
  }
  const pointers = members.map(pointer).join();
  await connection.run(`create table texts as select json_extract_string(json, [${pointers}]) as v from objects`);
  const cells = `(select ${members.map((_member, at) => `v[${at + 1}] as c${at}`).join()} from texts)`;
  const values = await typedValues(connection, cells, members, fields);
  await connection.run(`create view ${ROWS} as select ${values.join()} from ${cells}`);
  const names = members.map(({ path }) => path.join("."));
  return { frame: withFields(await tableFrame(connection, ROWS, directory, names), fields) };
}

/** The members of the rows in the order in which they appear. Those of an object are in its place. */
async function membersOfRows(connection: DuckDBConnection): Promise<readonly Member[]> {
  let members: readonly Member[] = [{ path: [], types: ["OBJECT"] }];
  for (let depth = 0; depth < MAX_DEPTH && members.some((member) => isOnly(member, "OBJECT")); depth++) {
    const inner = await membersOf(
      connection,
      members.filter((member) => isOnly(member, "OBJECT")),
    );
    members = members.flatMap((member) => inner.get(member) ?? (depth === 0 ? [] : member));
  }
  const lists = members.filter((member) => isOnly(member, "ARRAY"));
  const items = lists.length === 0 ? undefined : await membersOf(connection, lists);
  return members.map((member) => ({ ...member, items: items?.get(member)?.[0]?.types }));
}

function isOnly({ types }: Member, type: string): boolean {
  return types.length === 1 && types[0] === type;
}

/** The members of objects, or the items of lists. All items of a list are one member. */
async function membersOf(connection: DuckDBConnection, parents: readonly Member[]): Promise<Map<Member, Member[]>> {
  const rows = await connection.runAndReadAll(
    `select owner, if(json_type(object) = 'ARRAY', '', each.key), list(distinct each.type) from (
      select rowid as row, unnest(range(${parents.length})) as owner,
        unnest(json_extract(json, [${parents.map(pointer).join()}])) as object from objects
    ), json_each(object) as each where json_type(object) in ('OBJECT', 'ARRAY')
    group by all order by min({ row: row, id: each.id })`,
  );
  const members = new Map<Member, Member[]>();
  for (const [index, name, types] of rows.getRowsJS() as unknown as Array<[bigint, string, string[]]>) {
    const parent = parents[Number(index)] as Member;
    const member = { path: [...parent.path, name], types: types.filter((type) => type !== "NULL") };
    members.set(parent, [...(members.get(parent) ?? []), member]);
  }
  return members;
}

/** The JSON pointer of a member as an SQL literal. */
function pointer({ path }: Member): string {
  const names = path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return literal(names.join("") || "$");
}

/** An SQL expression for each member: of the type that all of its texts have, or a list of the type that all items have. */
async function typedValues(connection: DuckDBConnection, cells: string, members: readonly Member[], fields: Fields) {
  const columns = members.map((member, at) => {
    const described = textTypes(fields.get(member.path.join(".")));
    // Described lists are read from their JSON.
    const isList = described === undefined && isOnly(member, "ARRAY");
    const possible = isList ? typesOf(member.items ?? [], []) : typesOf(member.types, DATE_TYPES);
    return { name: `c${at}`, items: isList ? `from_json(c${at}, '["VARCHAR"]')` : undefined, described, possible };
  });
  const [lists, scalars] = [columns.filter(({ items }) => items), columns.filter(({ items }) => !items)];
  const texts = [
    ...(scalars.length > 0 ? [`select ${scalars.map(({ name }) => name).join()} from ${cells}`] : []),
    ...(lists.length > 0
      ? [`select ${lists.map(({ name, items }) => `unnest(${items}) as ${name}`).join()} from ${cells}`]
      : []),
  ];
  const types = await typesOfText(connection, `(${texts.join(" union all by name ")})`, columns);
  return columns.map(({ name, items }) => {
    const type = types.get(name);
    if (items !== undefined) return `${items}::${type ?? "VARCHAR"}[] as ${name}`;
    return `${type === undefined ? name : castText(name, type)} as ${name}`;
  });
}

/** The types that the text of JSON values may represent. */
function typesOf(json: readonly string[], ofText: readonly TextType[]): readonly TextType[] {
  if (json.every((type) => /INT$|^DOUBLE$/.test(type))) return NUMBER_TYPES;
  if (json.length > 1) return [];
  return json[0] === "BOOLEAN" ? ["BOOLEAN"] : json[0] === "VARCHAR" ? ofText : [];
}
