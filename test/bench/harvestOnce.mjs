/** Downloads once in a fresh process and prints the time without imports: `harvestOnce.mjs ours <url> harvest20`. */
import { HARVESTS, openContender } from "./harvests.mjs";
import { timed } from "./rounds.mjs";

const [name, url, harvest] = process.argv.slice(2);
const measured = await timed(async () => {
  const contender = openContender(name, url, HARVESTS[harvest]);
  await contender.run();
  await contender.close();
})();
process.stdout.write(JSON.stringify(measured));
