import { Dispatcher } from "undici";
import { WorkerPool } from "../../src/fleet/workerPool.js";
import { WorkerPools } from "../../src/fleet/workerPools.js";
import { resolveOptions } from "../../src/service/http/options.js";
import { KEY } from "../service/key.js";
import { type ServiceSpec, ThrottledService } from "../service/throttles/throttledService.js";
import { VirtualClock } from "../service/throttles/virtualClock.js";

/** The workers with one key, in virtual time. */
export interface FakeKey {
  readonly service: ServiceSpec;
  /** Workers: how many requests each sends in parallel, and when it comes and vanishes, in seconds. */
  readonly workers: ReadonlyArray<{ readonly concurrency: number; readonly from: number; readonly until: number }>;
  /** What the service answers instead, from a time on, in seconds. */
  readonly refuses?: { readonly status: number; readonly from: number; readonly retryAfter?: number };
}

interface Job {
  readonly path: string;
  readonly handler: Dispatcher.DispatchHandler;
  readonly controller: Dispatcher.DispatchController;
}

/** A queue whose workers send requests to a throttled service. A 429 pauses them all, as BullMQ does. */
class FakeQueue extends Dispatcher {
  readonly service: ThrottledService;
  /** The most requests that were on the wire or in the queue at a time, and the most that the workers could send then. */
  readonly excess: number[] = [];
  readonly accepted: string[] = [];
  readonly #jobs = new Set<Job>();
  /** Whose jobs stay until they are retried, or removed. */
  readonly #failed = new Set<string>();
  #sending = 0;
  #pausedUntil = 0;

  constructor(
    readonly key: FakeKey,
    readonly clock: VirtualClock,
  ) {
    super();
    this.service = new ThrottledService(key.service, clock);
    for (const { from } of key.workers) clock.after(1000 * from, () => this.#send());
  }

  async concurrency(): Promise<number> {
    const { seconds } = this.clock;
    const present = this.key.workers.filter(({ from, until }) => from <= seconds && seconds < until);
    return present.reduce((sum, { concurrency }) => sum + concurrency, 0);
  }

  mayHave(path: string): boolean {
    return this.#failed.has(path);
  }

  forget(path: string): void {
    this.#failed.delete(path);
  }

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = {
      abort: (reason: Error) => {
        this.#jobs.delete(job);
        handler.onResponseError?.(controller, reason);
      },
    } as unknown as Dispatcher.DispatchController;
    const job = { path, handler, controller };
    handler.onRequestStart?.(controller, {});
    this.#failed.delete(path);
    this.#jobs.add(job);
    void this.concurrency().then((concurrency) => {
      this.excess.push(this.#jobs.size + this.#sending - concurrency);
      this.#send();
    });
    return true;
  }

  /** Free workers take jobs. */
  #send(): void {
    void this.concurrency().then((concurrency) => {
      for (const job of this.#jobs) {
        if (this.#sending >= concurrency || this.clock.ticks() < this.#pausedUntil) return;
        this.#jobs.delete(job);
        this.#sending++;
        this.#answer(job);
      }
    });
  }

  #answer({ path, handler, controller }: Job): void {
    const { refuses } = this.key;
    const isRefused = refuses !== undefined && this.clock.seconds >= refuses.from;
    const end = (status: number, headers: Record<string, string>) => {
      this.#sending--;
      if (status === 200) this.accepted.push(path);
      else this.#failed.add(path);
      if (status === 429) {
        this.#pausedUntil = this.clock.ticks() + 1000 * Number(headers["retry-after"]);
        this.clock.after(this.#pausedUntil - this.clock.ticks(), () => this.#send());
      }
      handler.onResponseStart?.(controller, status, headers);
      handler.onResponseData?.(controller, Buffer.from("{}"));
      handler.onResponseEnd?.(controller, {});
      this.#send();
    };
    if (!isRefused) this.service.request(end);
    else this.clock.after(20, () => end(refuses.status, { "retry-after": String(refuses.retryAfter ?? 1) }));
  }
}

/** A fleet whose workers have some keys. The service limits each by itself. */
export function fakeFleet(keys: readonly FakeKey[]) {
  const clock = new VirtualClock();
  const queues = keys.map((key) => new FakeQueue(key, clock));
  const settings = resolveOptions({ apiKey: KEY, baseUrl: "http://127.0.0.1:9", concurrency: 64 }, {});
  const pools = queues.map(
    (queue, at) => new WorkerPool(settings, { keyId: `0000000${at}`, queue, session: queue }, clock),
  );
  const fleet = new WorkerPools(settings, { open: async () => undefined, find: async () => pools, start: "" }, clock);
  return { clock, queues, fleet };
}

/** Makes requests, 32 at a time. @returns the reasons of those that failed */
export async function requestAll(given: ReturnType<typeof fakeFleet>, count: number): Promise<unknown[]> {
  const { clock, fleet } = given;
  const failed: unknown[] = [];
  let next = 0;
  const request = async () => {
    while (next < count) await fleet.request(`/people/${next++}`, []).catch((error) => failed.push(error));
  };
  await clock.run(Promise.all(Array.from({ length: 32 }, request)));
  await fleet.close();
  return failed;
}
