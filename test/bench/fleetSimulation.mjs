/**
 * Simulates a fleet at a scale that no test reaches, on a virtual clock: `node test/bench/fleetSimulation.mjs [<rows>]`.
 *
 * Every page is an event: the coordinator puts it into the queue (at its own speed, and at that of the quota), a free worker takes it,
 * the service responds after a random time, and now and then a worker is killed with its pages, which others get after `LOST_AFTER`.
 * Prints what the service, the coordinator, Redis and the storage see.
 */

const ROWS = Number(process.argv[2] ?? 1e9);
const PAGE_ROWS = 100;
const WORKERS = 1000;
const CONCURRENCY = 4;
/** Pages in flight: the concurrency of the workers, and a quarter more. */
const IN_FLIGHT = 1.25 * WORKERS * CONCURRENCY;
/** Seconds: of a response on average; between two kills of a worker; until its pages go to another one. */
const RESPONSE = 0.3;
const KILLED_EVERY = 86_400;
const LOST_AFTER = 15;
/** Measured: CPU seconds of the coordinator per page, bytes per job and of the events in Redis, and of a compressed page of 100 rows. */
const CPU_PER_PAGE = 0.0045;
const JOB_BYTES = 910;
const EVENT_BYTES = 800_000;
const BODY_BYTES = 9000;
/** Measured: commands of Redis, those in scripts included, per page; and per second of a worker that waits. */
const COMMANDS_PER_PAGE = 61;
const COMMANDS_PER_WORKER = 4.3;
/** Seconds that a body is kept after it was read. */
const KEEP_BODY = 60;

/** A small generator of random numbers, the same in every run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
}

/** The times of pages on the wire: a binary heap with the earliest one on top. */
class Heap {
  times = new Float64Array(WORKERS * CONCURRENCY + 1);
  kinds = new Uint8Array(WORKERS * CONCURRENCY + 1);
  size = 0;

  push(time, kind) {
    let at = ++this.size;
    for (; at > 1 && this.times[at >> 1] > time; at >>= 1) this.#move(at >> 1, at);
    this.times[at] = time;
    this.kinds[at] = kind;
  }

  pop() {
    const top = [this.times[1], this.kinds[1]];
    const [time, kind] = [this.times[this.size], this.kinds[this.size]];
    this.size--;
    let at = 1;
    for (let child = 2; child <= this.size; child = 2 * at) {
      if (child < this.size && this.times[child + 1] < this.times[child]) child++;
      if (this.times[child] >= time) break;
      this.#move(child, at);
      at = child;
    }
    this.times[at] = time;
    this.kinds[at] = kind;
    return top;
  }

  #move(from, to) {
    this.times[to] = this.times[from];
    this.kinds[to] = this.kinds[from];
  }
}

const RECEIVED = 0;
const LOST = 1;

/** Runs one fleet. `perSecond` is the quota. */
function simulate(perSecond) {
  const next = random(1);
  const pages = Math.ceil(ROWS / PAGE_ROWS);
  const wire = new Heap();
  const pause = Math.max(CPU_PER_PAGE, 1 / perSecond);
  let [now, added, waiting, received, requests, lost, peakWaiting, peakJobs, addAt] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  while (received < pages) {
    const canAdd = added < pages && waiting + wire.size < IN_FLIGHT;
    const nextEnd = wire.size > 0 ? wire.times[1] : Number.POSITIVE_INFINITY;
    if (canAdd && addAt <= nextEnd) {
      now = Math.max(now, addAt);
      addAt = now + pause;
      added++;
      waiting++;
    } else {
      const [time, kind] = wire.pop();
      now = time;
      if (kind === RECEIVED) received++;
      else {
        lost++;
        waiting++;
      }
    }
    while (waiting > 0 && wire.size < WORKERS * CONCURRENCY) {
      waiting--;
      requests++;
      const takes = -RESPONSE * Math.log(next());
      const isKilled = next() < takes / KILLED_EVERY;
      wire.push(now + (isKilled ? takes + LOST_AFTER : takes), isKilled ? LOST : RECEIVED);
    }
    peakWaiting = Math.max(peakWaiting, waiting);
    peakJobs = Math.max(peakJobs, waiting + wire.size);
  }
  return { pages, now, requests, lost, peakWaiting, peakJobs };
}

for (const perSecond of [1000 / 3600, 10, 100, Number.POSITIVE_INFINITY]) {
  const { pages, now, requests, lost, peakWaiting, peakJobs } = simulate(perSecond);
  const rate = pages / now;
  const lines = {
    quota: perSecond === Number.POSITIVE_INFINITY ? "none" : `${Number(perSecond.toPrecision(2))} requests a second`,
    time: `${(now / 86_400).toPrecision(3)} days, ${rate.toPrecision(3)} pages a second`,
    service: `${requests.toLocaleString("en-US")} requests for ${pages.toLocaleString("en-US")} pages, ${lost} of killed workers`,
    coordinator: `${(100 * rate * CPU_PER_PAGE).toPrecision(2)} % of a core`,
    redis: `${peakJobs} jobs at most, ${peakWaiting} of them waiting: ${((peakJobs * JOB_BYTES + EVENT_BYTES) / 1e6).toPrecision(2)} MB; ${Math.round(COMMANDS_PER_PAGE * rate + COMMANDS_PER_WORKER * WORKERS).toLocaleString("en-US")} commands a second`,
    storage: `${Math.round(rate * KEEP_BODY)} bodies at a time: ${((rate * KEEP_BODY * BODY_BYTES) / 1e6).toPrecision(2)} MB; ${rate.toPrecision(2)} writes, reads and deletes a second`,
  };
  for (const [what, line] of Object.entries(lines)) console.log(what.padEnd(12), line);
  console.log();
}
