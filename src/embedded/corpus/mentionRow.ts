import { captionText } from "./Captions.js";
import { isoSeconds } from "./calendar.js";
import type { Mention } from "./mentions.js";
import type { MentionRow } from "./rows.js";

/** The row of a mention, its members in the order in which the service writes them, `personid` there or not. */
export function mentionRow(mention: Mention): MentionRow {
  const { program, personid } = mention;
  return {
    begintime: isoSeconds(mention.begin),
    id: String(mention.id),
    link: `https://archive.example/video/?c${mention.id}`,
    person: mention.person,
    programPublicId: program.publicId,
    programTitle: program.row.title,
    text: captionText(mention.captions),
    length: mention.length,
    ...(personid === undefined ? {} : { personid }),
    programid: program.row.id,
    videoTypeId: mention.videoTypeId,
  };
}
