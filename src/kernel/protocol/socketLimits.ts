/**
 * Limits of the kernel's sockets. Any user of the machine can connect over TCP, and ZeroMQ reads a whole message before its
 * signature can be checked: without limits it would buffer everything it receives. A peer that sends a larger message is
 * disconnected. Limits apply per connection.
 */

/** Requests queued while a cell keeps the kernel busy; further senders wait, nothing is lost. */
const requests = { receiveHighWaterMark: 16, maxMessageSize: 32 * 2 ** 20 };

/** Replies that the client has not read; further ones are dropped. */
const replies = { sendHighWaterMark: 10_000, linger: 1000 };

/** The shell socket: requests that carry cells. */
export const SHELL_LIMITS = { ...requests, ...replies };

/** The control socket: interrupt and shutdown requests. */
export const CONTROL_LIMITS = { receiveHighWaterMark: 16, maxMessageSize: 2 ** 20, ...replies };

/** The stdin socket: what users type into prompts. With `mandatory`, sending to a front end that has not connected it fails. */
export const STDIN_LIMITS = {
  receiveHighWaterMark: 16,
  maxMessageSize: 2 ** 20,
  mandatory: true,
  sendTimeout: 1000,
  linger: 0,
};

/** The heartbeat socket, which echoes. */
export const HEARTBEAT_LIMITS = { receiveHighWaterMark: 16, sendHighWaterMark: 16, maxMessageSize: 1024, linger: 0 };

/**
 * The iopub socket. `noDrop` rejects a message instead of dropping it when the queue of a subscriber is full, so that an `Outbox`
 * can wait for slow readers. Subscribers send only topic names.
 */
export const PUBLISHER_LIMITS = {
  sendHighWaterMark: 200,
  sendTimeout: 0,
  noDrop: true,
  maxMessageSize: 1024,
  linger: 1000,
};
