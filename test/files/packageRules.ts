/** What the standard Data Package 2 asks of a descriptor, as far as files saved here can break it: each broken rule in a line. */
export function brokenRules(descriptor: unknown): string[] {
  const broken: string[] = [];
  const rule = (ok: boolean, what: string) => {
    if (!ok) broken.push(what);
  };
  const { $schema, resources } = descriptor as { $schema: unknown; resources: Array<Record<string, unknown>> };
  rule($schema === "https://datapackage.org/profiles/2.0/datapackage.json", "$schema of the package");
  rule(Array.isArray(resources) && resources.length > 0, "a package has resources");
  const names = resources.map(({ name }) => name);
  rule(new Set(names).size === names.length, `names are unique: ${names.join(" ")}`);
  for (const resource of resources) {
    const { name, path, type, mediatype, encoding, bytes, hash, schema } = resource;
    rule(typeof name === "string" && /^[a-z0-9._-]+$/.test(name), `name ${JSON.stringify(name)}`);
    rule(typeof path === "string" || (Array.isArray(path) && path.length > 0), `path of ${name}`);
    for (const one of [path].flat() as string[]) rule(isSafePath(one), `path ${one}`);
    rule(type === undefined || type === "table", `type ${type}`);
    rule(/^[a-z]+\/[a-z0-9.+-]+$/.test(String(mediatype)), `mediatype ${mediatype}`);
    rule(encoding === undefined || encoding === "utf-8", `encoding ${encoding}`);
    rule(Number.isSafeInteger(bytes) && (bytes as number) >= 0, `bytes ${bytes}`);
    rule(hash === undefined || /^sha256:[0-9a-f]{64}$/.test(String(hash)), `hash ${hash}`);
    rule((schema === undefined) === (type === undefined), `a table has a schema: ${name}`);
    if (schema !== undefined) broken.push(...brokenInSchema(schema as Record<string, unknown>));
  }
  return broken;
}

const TYPES = "string number integer boolean object array date time datetime duration year yearmonth list any".split(
  " ",
);
const MATCHES = ["exact", "equal", "subset", "superset", "partial"];

function brokenInSchema({ fields, missingValues, fieldsMatch }: Record<string, unknown>): string[] {
  const broken: string[] = [];
  const names = new Set<unknown>();
  for (const { name, type } of fields as Array<{ name: unknown; type: string }>) {
    if (typeof name !== "string") broken.push(`name of a field ${name}`);
    if (names.has(name)) broken.push(`the field ${name} twice`);
    if (!TYPES.includes(type)) broken.push(`type ${type}`);
    names.add(name);
  }
  if (names.size === 0) broken.push("a schema without fields");
  if (fieldsMatch !== undefined && !MATCHES.includes(fieldsMatch as string)) broken.push(`fieldsMatch ${fieldsMatch}`);
  if (!(missingValues as unknown[]).every((value) => typeof value === "string")) broken.push("missingValues");
  return broken;
}

/** Relative, of POSIX, beside the descriptor or below it, and not hidden. */
function isSafePath(path: unknown): boolean {
  if (typeof path !== "string" || path === "" || /^[~/]|\\|:\/\//.test(path)) return false;
  return path.split("/").every((part) => part !== "" && !part.startsWith("."));
}
