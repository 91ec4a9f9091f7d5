type Node = Readonly<Record<string, unknown>>;

/** The terms of Croissant that we use, with their IRIs, from the specification. */
const CR = "http://mlcommons.org/croissant/";
const SC = "https://schema.org/";
const ATOMIC = ["Boolean", "Date", "DateTime", "Float", "Integer", "Text"].map((type) => SC + type);

/**
 * What Croissant 1.0 requires of a dataset, its files, record sets and fields: each broken rule in a line.
 *
 * @param hashes SHA-256 of every file of a table, by path
 * @param columns of every table
 */
export function brokenCroissantRules(
  dataset: Node,
  hashes: ReadonlyMap<string, string>,
  columns: Readonly<Record<string, readonly string[]>>,
): string[] {
  const broken: string[] = [];
  const rule = (ok: boolean, what: string) => {
    if (!ok) broken.push(what);
  };
  const context = dataset["@context"] as Node;
  // The properties of Croissant have to expand to its namespace, all others are those of schema.org.
  const iri = (term: string): string => {
    const given = context[term];
    const mapped = typeof given === "string" ? given : ((given as Node | undefined)?.["@id"] as string | undefined);
    if (mapped !== undefined && mapped !== term && !/^https?:/.test(mapped)) return iri(mapped);
    const [prefix, name] = term.split(":");
    return name === undefined ? (mapped ?? `${context["@vocab"]}${term}`) : `${context[prefix as string]}${name}`;
  };
  const terms = ["recordSet", "field", "source", "extract", "column", "fileObject", "fileSet", "includes", "dataType"];
  for (const term of terms) rule(iri(term) === CR + term, `${term} is a term of Croissant`);
  rule(iri("conformsTo") === "http://purl.org/dc/terms/conformsTo", "conformsTo is of Dublin Core");
  for (const term of ["name", "url", "license", "creator", "datePublished", "distribution", "contentUrl", "sha256"])
    rule(iri(term) === SC + term, `${term} is of schema.org`);

  const text = (node: Node, ...names: string[]) => {
    for (const name of names)
      rule(typeof node[name] === "string" && node[name] !== "", `${node["@id"] ?? "dataset"} has ${name}`);
  };
  rule(iri(String(dataset["@type"])) === `${SC}Dataset`, "@type of the dataset");
  rule(dataset.conformsTo === "http://mlcommons.org/croissant/1.0", "conformsTo");
  text(dataset, "name", "description", "license", "url", "datePublished", "version");
  rule(/^\d{4}-\d\d-\d\d$/.test(String(dataset.datePublished)), "datePublished is a date");
  rule(/^\d\.\d\.\d$/.test(String(dataset.version)), "version is MAJOR.MINOR.PATCH");
  const creators = dataset.creator as Node[];
  rule(creators.length > 0 && creators.every((each) => iri(String(each["@type"])) === `${SC}Person`), "creator");
  for (const each of creators) text(each, "name");

  const resources = dataset.distribution as Node[];
  const sets = dataset.recordSet as Node[];
  const fields = sets.flatMap((set) => set.field as Node[]);
  const ids = [...resources, ...sets, ...fields].map((node) => node["@id"] as string);
  rule(new Set(ids).size === ids.length, "an @id twice");
  rule(
    ids.every((id) => encodeURI(decodeURI(id)) === id || !/[\s<>"{}|\\^`]/.test(id)),
    "every @id is an IRI",
  );

  const byType = (type: string) => resources.filter((node) => iri(String(node["@type"])) === CR + type);
  const [objects, fileSets] = [byType("FileObject"), byType("FileSet")];
  rule(objects.length + fileSets.length === resources.length, "distribution has files and sets of files only");
  for (const node of objects) {
    text(node, "@id", "name", "contentUrl", "contentSize", "encodingFormat", "sha256");
    rule(hashes.get(node.contentUrl as string) === node.sha256, `sha256 of ${node.contentUrl}`);
  }
  rule(objects.length === hashes.size, "every file is there");
  for (const node of fileSets) text(node, "@id", "name", "encodingFormat", "includes");

  rule(sets.map((set) => set.name).join() === Object.keys(columns).join(), "a record set for each table");
  for (const set of sets) {
    text(set, "@id", "name");
    rule(iri(String(set["@type"])) === `${CR}RecordSet`, "type of a record set");
    const own = set.field as Node[];
    rule(own.map(({ name }) => name).join("\n") === columns[set.name as string]?.join("\n"), `columns of ${set.name}`);
    for (const field of own) {
      text(field, "@id", "name", "description", "dataType");
      rule(iri(String(field["@type"])) === `${CR}Field`, "type of a field");
      rule(String(field["@id"]).startsWith(`${set["@id"]}/`), `${field["@id"]} begins with its record set`);
      rule(ATOMIC.includes(iri(String(field.dataType))), `dataType of ${field["@id"]}`);
      const { fileObject, fileSet, extract } = field.source as Node;
      const from = ((fileObject ?? fileSet) as Node)["@id"];
      rule(
        (fileObject === undefined ? fileSets : objects).some((node) => node["@id"] === from),
        `source of ${field["@id"]}`,
      );
      rule((extract as Node).column === field.name, `column of ${field["@id"]}`);
    }
  }
  return broken;
}
