/**
 * Memory in pages of its own, which take no memory until they are written to. Other buffers come from the memory that polars uses, too:
 * there they reuse, and keep, pages that were written to before.
 */
export function mappedMemory(bytes: number): ArrayBuffer {
  return new (ArrayBuffer as ResizableConstructor)(bytes, { maxByteLength: bytes });
}

/** Node 20 has resizable buffers; the types of ES2023 do not. */
type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ArrayBuffer;
