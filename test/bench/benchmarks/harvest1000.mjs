import { HARVESTS, harvestTable } from "../harvestTable.mjs";

export default () => harvestTable(HARVESTS.harvest1000);
