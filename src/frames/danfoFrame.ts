/** A danfo frame. */
// biome-ignore lint/suspicious/noTsIgnore: danfojs-node may be there or not, and without it there is an error to expect
/** @ts-ignore danfojs-node is an optional peer: a project without it has no types of it */
export type DanfoFrame = import("danfojs-node").DataFrame;
