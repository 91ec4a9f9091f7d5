/**
 * The processor time that something takes, in milliseconds: what else runs on the machine does not count. For bounds that tell linear
 * from quadratic in the size of hostile input.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
