import { VERSION } from "../../util/version.js";
import type { ExportMetadata } from "./exportMetadata.js";

/** `CITATION.cff` in the Citation File Format 1.2. A JSON string is a YAML string, whatever it contains. */
export function citationFile({ title, description, creators, date }: ExportMetadata): string {
  return [
    "cff-version: 1.2.0",
    "message: If you use this dataset, please cite it.",
    "type: dataset",
    `title: ${JSON.stringify(title)}`,
    `abstract: ${JSON.stringify(description)}`,
    "authors:",
    ...creators.map((name) => `  - name: ${JSON.stringify(name)}`),
    `date-released: ${JSON.stringify(date)}`,
    "references:",
    "  - type: software",
    "    title: archive-frames",
    `    version: ${JSON.stringify(VERSION)}`,
    "    authors:",
    "      - name: The authors of archive-frames",
    "",
  ].join("\n");
}

/** `.zenodo.json`. Zenodo reads the description as HTML. */
export function zenodoMetadata({ title, description, creators, date }: ExportMetadata): string {
  const metadata = {
    title,
    description: `<p>${htmlText(description)}</p>`,
    upload_type: "dataset",
    publication_date: date,
    creators: creators.map((name) => ({ name })),
    access_right: "restricted",
    access_conditions: "<p>See LICENSE.md: the terms of the archive apply.</p>",
    keywords: ["television", "captions", "corpus"],
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}

/** The note on the licence: the rows are not ours to license. */
export function licenseNote({ source, isIdsOnly }: ExportMetadata): string {
  const content = isIdsOnly
    ? "This export has ids, times, numbers and checksums only. Whoever has a key to the archive can fetch the text again:\n`archive-frames corpus hydrate <this directory> <new directory>`."
    : "This export has captions and titles as the archive returned them. Check that its terms allow you to share them; an export with\n`idsOnly` leaves them out.";
  return `# Licence

The rows come from an archive and are subject to its terms of use. No other licence is granted. The service, as JSON:

    ${JSON.stringify(source)}

${content}
`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function htmlText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
