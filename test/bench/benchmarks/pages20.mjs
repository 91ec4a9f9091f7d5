import { chainTable } from "../chainTable.mjs";

export default () => chainTable("pages20");
