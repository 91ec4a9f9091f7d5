const TYPES = new Set("string number integer boolean object array date time datetime duration".split(" "));

/** What the standard Data Package 2 asks of a descriptor, as far as files saved here can break it: each broken rule in a line. */
export function brokenRules(descriptor: unknown): string[] {
  const { $schema, resources } = descriptor as { $schema: unknown; resources: Array<Record<string, unknown>> };
  const names = new Set(resources.map(({ name }) => name));
  const rules: [string, boolean][] = [
    ["$schema of the package", $schema === "https://datapackage.org/profiles/2.0/datapackage.json"],
    ["a package has resources", resources.length > 0],
    ["names are unique", names.size === resources.length],
  ];
  for (const { name, path, type, mediatype, encoding, bytes, hash, schema } of resources) {
    const { fields, missingValues = [""] } = (schema ?? { fields: [] }) as Record<string, unknown[]>;
    const columns = (fields ?? []) as Array<{ name: unknown; type: string }>;
    rules.push(
      [`name ${name}`, /^[a-z0-9._-]+$/.test(String(name))],
      // Beside the descriptor or below it, and not hidden.
      [`path ${path}`, [path].flat().every((each) => /^[^~/\\.][^/\\]*(?:\/[^/\\.][^/\\]*)*$/.test(String(each)))],
      [`a table has a schema: ${name}`, (type === "table") === (schema !== undefined)],
      [`mediatype ${mediatype}`, /^[a-z]+\/[a-z0-9.+-]+$/.test(String(mediatype))],
      [`encoding ${encoding}`, encoding === undefined || encoding === "utf-8"],
      [`bytes ${bytes}`, Number.isSafeInteger(bytes)],
      [`hash ${hash}`, hash === undefined || /^sha256:[0-9a-f]{64}$/.test(String(hash))],
      [`fields of ${name}`, new Set(columns.map((field) => field.name)).size === columns.length],
      [`types of ${name}`, columns.every((field) => typeof field.name === "string" && TYPES.has(field.type))],
      [`missingValues of ${name}`, missingValues.every((value) => typeof value === "string")],
    );
  }
  return rules.flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}
