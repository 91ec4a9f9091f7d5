/**
 * Memory in pages of its own, which take no memory until they are written to. {@link unmap} gives them back at once. Other
 * buffers come from the memory that polars uses, too: there they reuse, and keep, pages that were written to before.
 *
 * @example
 * mappedMemory(2 ** 20).byteLength; //=> 1048576
 */
export function mappedMemory(bytes: number): ArrayBuffer {
  return new (ArrayBuffer as ResizableConstructor)(bytes, { maxByteLength: bytes });
}

/** Gives back memory of {@link mappedMemory}. It is empty from then on. */
export function unmap(memory: ArrayBufferLike): void {
  (memory as ResizableBuffer).resize(0);
}

/** Node 20 has resizable buffers; the types of ES2023 do not. */
type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ArrayBuffer;

type ResizableBuffer = ArrayBuffer & { resize(bytes: number): void };
