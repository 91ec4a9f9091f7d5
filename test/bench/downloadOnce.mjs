/** Downloads once in a fresh process and prints the time without imports: `downloadOnce.mjs ours <url> pages20`. */
import { CHAINS, openContender } from "./chains.mjs";
import { timed } from "./rounds.mjs";

const [name, url, chain] = process.argv.slice(2);
const measured = await timed(async () => {
  const contender = openContender(name, url, CHAINS[chain]);
  await contender.run();
  await contender.close();
})();
process.stdout.write(JSON.stringify(measured));
