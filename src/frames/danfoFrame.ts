/**
 * A danfo frame.
 * @ts-ignore danfojs-node is an optional peer: a project without it has no types of it
 */
export type DanfoFrame = import("danfojs-node").DataFrame;
