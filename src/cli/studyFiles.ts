import { DISPLAY_NAME, KERNEL_NAME } from "../kernel/kernelSpec.js";

export const NOTEBOOK = "study.ipynb";
export const REPORT = "report.html";

/** The cells of the notebook. Cells that start with `#` are Markdown. */
const CELLS = [
  `# Who talks about climate?

A first look. Change the query and dates in the next cell, or on the command line: \`npm run report -- --param query=inflation\`.`,
  `const query = "climate";
const mindate = "2024-01-01";
const maxdate = "2024-06-30";`,
  `import { countSpeakers, methodsOf, openArchive } from "archive-frames";

const archive = await openArchive(); // the live service if a key is set, otherwise synthetic data
const speeches = await archive.mentions(query, { mindate, maxdate, maxItems: 1000 });
speeches`,
  "## Speakers",
  "countSpeakers(speeches).head(10)",
  "## Months",
  'await archive.count("mentions", query, { mindate, maxdate, by: "month" })',
  "## Methods",
  `console.log(methodsOf(speeches));
await archive.close();`,
];

const SCRIPT = `// node study.mjs: saves the mentions for other programs. A stopped run resumes.
import { openArchive } from "archive-frames";

const archive = await openArchive();
try {
  const days = { mindate: "2024-01-01", maxdate: "2024-06-30" };
  console.log(await archive.save("mentions", "mentions.parquet", { query: "climate", ...days }));
} finally {
  await archive.close();
}
`;

const README = (name: string) => `# ${name}

A study with \`archive-frames\`, on Node 20.19 or later.

\`\`\`sh
npm ci                          # installs the versions in package-lock.json
npm run report                  # runs ${NOTEBOOK} and writes ${REPORT}
node study.mjs                  # saves the mentions to mentions.parquet
npx archive-frames doctor       # checks the installation
\`\`\`

Without a key, everything runs on synthetic data. Request a key from C-SPAN (api@c-spanarchives.org) and set it as \`ARCHIVE_API_KEY\`.
Never put it into a file in this directory.

To let others repeat the study without a key, record the responses and share the directory \`snapshot/\`:

\`\`\`sh
npm run report -- --snapshot snapshot/
npm run report -- --snapshot snapshot/ --snapshot-mode replay
\`\`\`
`;

/** The files of a new study. `name` is that of its directory. */
export function studyFiles(name: string): Readonly<Record<string, string>> {
  const manifest = {
    // A valid npm name.
    name: (name.toLowerCase().match(/[a-z0-9]+/g) ?? ["study"]).join("-").slice(0, 200),
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: { report: `archive-frames run ${NOTEBOOK} -o ${NOTEBOOK} --html ${REPORT}` },
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "study.ipynb": `${JSON.stringify(notebook(), null, 1)}\n`,
    "study.mjs": SCRIPT,
    "README.md": README(manifest.name),
    ".gitignore": "node_modules/\n",
  };
}

function notebook() {
  const cells = CELLS.map((source, at) => {
    const rest = { id: `study-${at}`, metadata: at === 1 ? { tags: ["parameters"] } : {}, source };
    if (source.startsWith("#")) return { cell_type: "markdown", ...rest };
    return { cell_type: "code", execution_count: null, outputs: [], ...rest };
  });
  const kernelspec = { name: KERNEL_NAME, display_name: DISPLAY_NAME, language: "typescript" };
  return { cells, metadata: { kernelspec, language_info: { name: "typescript" } }, nbformat: 4, nbformat_minor: 5 };
}
