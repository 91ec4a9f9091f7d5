export { rowKeys } from "../../src/coding/passages.js";
