/** How a service limits the requests of one client. */
export type ThrottleSpec =
  | { readonly kind: "token bucket"; readonly perSecond: number; readonly burst: number }
  | { readonly kind: "fixed window"; readonly quota: number; readonly seconds: number }
  | { readonly kind: "sliding window"; readonly quota: number; readonly seconds: number }
  | { readonly kind: "concurrency"; readonly most: number };

/** A running throttle. Times are in milliseconds. */
export interface Throttle {
  /** Returns undefined to accept a request, or the milliseconds until the next one would be accepted. */
  take(now: number): number | undefined;
  /** Call when an accepted request is complete. */
  release(): void;
}

/** Starts an idle throttle with its full allowance. */
export function startThrottle(spec: ThrottleSpec): Throttle {
  if (spec.kind === "token bucket") return tokenBucket(spec.perSecond / 1000, spec.burst);
  if (spec.kind === "fixed window") return fixedWindow(spec.quota, spec.seconds * 1000);
  if (spec.kind === "sliding window") return slidingWindow(spec.quota, spec.seconds * 1000);
  return concurrencyLimit(spec.most);
}

/** The burst that it accepts when idle. */
export function burstOf(spec: ThrottleSpec): number {
  if (spec.kind === "token bucket") return spec.burst;
  return spec.kind === "concurrency" ? spec.most : spec.quota;
}

/** The sustained rate in requests per second, if each request takes some seconds. */
export function sustainedRate(spec: ThrottleSpec, seconds: number): number {
  if (spec.kind === "token bucket") return spec.perSecond;
  return spec.kind === "concurrency" ? spec.most / seconds : spec.quota / spec.seconds;
}

function tokenBucket(perMs: number, burst: number): Throttle {
  let tokens = burst;
  let last: number | undefined;
  return {
    take(now) {
      tokens = Math.min(burst, tokens + perMs * (now - (last ?? now)));
      last = now;
      // Rounding must not refuse a request that is on time.
      if (tokens < 1 - 1e-9) return (1 - tokens) / perMs;
      tokens -= 1;
      return undefined;
    },
    release() {},
  };
}

function fixedWindow(quota: number, ms: number): Throttle {
  let ends = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return {
    take(now) {
      // Windows follow the clock, as in services that count per minute; a run starts in the middle of one.
      if (now >= ends) [ends, taken] = [Math.floor(now / ms + 0.5) * ms + ms / 2, 0];
      if (taken >= quota) return ends - now;
      taken += 1;
      return undefined;
    },
    release() {},
  };
}

function slidingWindow(quota: number, ms: number): Throttle {
  const taken: number[] = [];
  return {
    take(now) {
      while (taken.length > 0 && (taken[0] as number) <= now - ms) taken.shift();
      if (taken.length >= quota) return (taken[0] as number) + ms - now;
      taken.push(now);
      return undefined;
    },
    release() {},
  };
}

function concurrencyLimit(most: number): Throttle {
  let busy = 0;
  return {
    take() {
      if (busy >= most) return 1000;
      busy += 1;
      return undefined;
    },
    release() {
      busy -= 1;
    },
  };
}
