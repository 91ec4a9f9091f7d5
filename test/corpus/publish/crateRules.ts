type Entity = Readonly<Record<string, unknown>> & { readonly "@id": string };

/**
 * What RO-Crate 1.2 asks of a crate, as far as ours could break it: each broken rule in a line.
 *
 * @param hashes SHA-256 of every file by path, except the metadata file
 */
export function brokenCrateRules(crate: unknown, hashes: ReadonlyMap<string, string>): string[] {
  const broken: string[] = [];
  const rule = (ok: boolean, what: string) => {
    if (!ok) broken.push(what);
  };
  const { "@context": context, "@graph": graph } = crate as { "@context": unknown; "@graph": Entity[] };
  rule(context === "https://w3id.org/ro/crate/1.2/context", "@context");
  const entities = new Map(graph.map((entity) => [entity["@id"], entity]));
  rule(entities.size === graph.length, "an @id twice");
  rule(
    graph.every((entity) => typeof entity["@type"] === "string"),
    "every entity has a type",
  );
  const descriptor = entities.get("ro-crate-metadata.json");
  rule(descriptor?.["@type"] === "CreativeWork", "type of the descriptor");
  rule(idOf(descriptor?.conformsTo) === "https://w3id.org/ro/crate/1.2", "conformsTo of the descriptor");
  const root = entities.get(idOf(descriptor?.about) ?? "");
  rule(root?.["@id"] === "./" && root["@type"] === "Dataset", "the root dataset");
  for (const name of ["name", "description"])
    rule(typeof root?.[name] === "string" && root[name] !== "", `${name} of the root`);
  rule(/^\d{4}-\d\d-\d\d$/.test(String(root?.datePublished)), "datePublished of the root");
  rule(entities.has(idOf(root?.license) ?? ""), "license of the root is described");
  for (const entity of graph) {
    for (const [property, value] of Object.entries(entity).filter(([name]) => name !== "conformsTo")) {
      for (const one of [value].flat() as unknown[])
        rule(typeof one === "string" || entities.has(idOf(one) ?? ""), `${entity["@id"]} ${property}`);
    }
  }
  const parts = ([root?.hasPart].flat() as unknown[]).map(idOf);
  const files = graph.filter((entity) => entity["@type"] === "File");
  rule(parts.toSorted().join() === [...hashes.keys()].sort().join(), "hasPart lists every file");
  for (const { "@id": path, sha256 } of files) {
    rule(hashes.get(path) === sha256, `sha256 of ${path}`);
    rule(encodeURI(path) === path, `@id ${path} is a URI path`);
  }
  return broken;
}

function idOf(value: unknown): string | undefined {
  const { "@id": id, ...rest } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "string" && Object.keys(rest).length === 0 ? id : undefined;
}
