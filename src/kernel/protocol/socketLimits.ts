/**
 * What the sockets of a kernel take. Any user of the machine can connect to one over TCP, and ZeroMQ reads a message whole before
 * anybody can look at its signature: without limits it would keep whatever comes. A peer that sends a larger message is
 * disconnected; the limits are for each connection.
 */

/** Requests that wait while a cell keeps the kernel busy; whoever sends more waits, nothing is lost. */
const requests = { receiveHighWaterMark: 16, maxMessageSize: 32 * 2 ** 20 };

/** Replies that whoever asked has not read; further ones are dropped. */
const replies = { sendHighWaterMark: 10_000, linger: 1000 };

/** For requests with cells. */
export const SHELL_LIMITS = { ...requests, ...replies };

/** For an interrupt or a shutdown. */
export const CONTROL_LIMITS = { receiveHighWaterMark: 16, maxMessageSize: 2 ** 20, ...replies };

/** For what is read and thrown away, and for beats of the heart, which are echoed. */
export const BEAT_LIMITS = { receiveHighWaterMark: 16, sendHighWaterMark: 16, maxMessageSize: 1024, linger: 0 };

/**
 * For what is published. A message that a subscriber has no room for is refused instead of dropped, so that an `Outbox` can wait
 * for whoever reads; what comes from a subscriber is the name of a topic.
 */
export const PUBLISHER_LIMITS = {
  sendHighWaterMark: 200,
  sendTimeout: 0,
  noDrop: true,
  maxMessageSize: 1024,
  linger: 1000,
};
