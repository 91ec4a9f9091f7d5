export {
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
  readNotebook,
  sourceOf,
  writeNotebook,
} from "../../src/notebook/notebookFormat.js";
