import { harvestTable } from "../harvestTable.mjs";

export default () => harvestTable("harvest20");
