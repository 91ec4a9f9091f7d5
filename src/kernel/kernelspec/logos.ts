import { crc32, deflateSync } from "node:zlib";

/** A rectangle with round corners, in a square of 64 by 64. */
interface Shape {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  readonly color: readonly [red: number, green: number, blue: number];
}

const BLUE = [31, 90, 139] as const;
const WHITE = [255, 255, 255] as const;
const LIGHT = [168, 204, 232] as const;

/** A card of an archive that is also a table: a heading and three rows. */
const SHAPES: readonly Shape[] = [
  { x: 2, y: 2, width: 60, height: 60, radius: 10, color: BLUE },
  { x: 12, y: 13, width: 40, height: 9, radius: 2, color: WHITE },
  ...[27, 37, 47].flatMap((y) => [
    { x: 12, y, width: 12, height: 5, radius: 2, color: LIGHT },
    { x: 28, y, width: 24, height: 5, radius: 2, color: LIGHT },
  ]),
];

/** Samples per pixel and direction, for smooth edges. */
const SAMPLES = 4;

/** The logos of the kernel, by the file names that Jupyter looks for. */
export function logos(): ReadonlyMap<string, Buffer> {
  return new Map([
    ["logo-32x32.png", png(32)],
    ["logo-64x64.png", png(64)],
    ["logo-svg.svg", Buffer.from(svg())],
  ]);
}

function svg(): string {
  const parts = SHAPES.map(
    ({ x, y, width, height, radius, color }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="rgb(${color})"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">\n${parts.join("\n")}\n</svg>\n`;
}

/** Draws the shapes as a PNG of eight bits per channel, with transparency. */
function png(size: number): Buffer {
  const rows = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (_, x) => pixel(x, y, size)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The mean of the samples of one pixel: red, green, blue, alpha. */
function pixel(x: number, y: number, size: number): number[] {
  const sum = [0, 0, 0];
  let hits = 0;
  for (let sample = 0; sample < SAMPLES ** 2; sample++) {
    const place = (at: number, part: number) => ((at + (part + 0.5) / SAMPLES) * 64) / size;
    const [left, top] = [place(x, sample % SAMPLES), place(y, Math.floor(sample / SAMPLES))];
    const shape = SHAPES.findLast((each) => contains(each, left, top));
    if (shape === undefined) continue;
    hits++;
    for (const [channel, value] of shape.color.entries()) sum[channel] = (sum[channel] ?? 0) + value;
  }
  return [...sum.map((value) => Math.round(value / Math.max(1, hits))), Math.round((255 * hits) / SAMPLES ** 2)];
}

function contains({ x, y, width, height, radius }: Shape, left: number, top: number): boolean {
  const outside = (at: number, from: number, length: number) =>
    Math.max(from + radius - at, at - (from + length - radius), 0);
  return Math.hypot(outside(left, x, width), outside(top, y, height)) <= radius;
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
