import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";

/** The size of a read buffer. Node allocates 64 KiB of fresh memory for every read. */
const READ_BYTES = 256 * 1024;

/**
 * Smaller reads are copied. undici keeps the parts of a response head until the head is complete, so a buffer with a part of
 * a head must not be overwritten; a read as large as this holds the whole head.
 */
const MIN_VIEW_BYTES = Math.max(32 * 1024, 2 * maxHeaderSize);

/**
 * Options for `net.connect` with which a socket reads into two buffers in turn. For undici only: it copies or uses what it
 * reads before the next read. If it pauses, the buffer is left to it and replaced.
 *
 * @param socket returns the socket, which does not exist before its options
 */
export function reusedReads(socket: () => Socket) {
  let current = Buffer.allocUnsafeSlow(READ_BYTES);
  let previous = Buffer.allocUnsafeSlow(READ_BYTES);
  return {
    // A socket that always holds less than it may buffer need not stop and start reading for every read.
    highWaterMark: 2 * READ_BYTES,
    onread: {
      buffer: () => current,
      callback(size: number, bytes: Uint8Array): boolean {
        const read = (bytes as Buffer).subarray(0, size);
        if (size < MIN_VIEW_BYTES) return socket().push(Buffer.from(read));
        const isPreviousInUse = socket().readableLength > 0;
        [current, previous] = [isPreviousInUse ? Buffer.allocUnsafeSlow(READ_BYTES) : previous, current];
        return socket().push(read);
      },
    },
  };
}
