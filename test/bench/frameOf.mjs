import { FrameBuilder } from "../../dist/frames/frameBuilder.js";
import { scanPage } from "../../dist/pages/scanPage.js";
import { operations } from "../../dist/service/operations/operations.js";

/** Converts the bytes of a page of mentions to a frame, without a client. */
export function frameOf(bytes) {
  const builder = new FrameBuilder(operations.mentions.columns);
  const page = scanPage(bytes, "mentions", builder.schema);
  if (!page.records.isUniform) throw new Error("the page takes the slow path");
  builder.add(page);
  return builder.take();
}
