import type { Corpus } from "./corpus/corpus.js";
import { mentionRow } from "./corpus/mentions.js";
import { programText } from "./corpus/programs.js";
import { VIDEO_TYPES } from "./corpus/videoTypes.js";
import type { Bill, Collection, Program } from "./embedded.js";

/** What a server serves of a corpus. */
export function collectionOf(corpus: Corpus): Collection {
  const { bills, mentions, people, programs, reairings, seed, size } = corpus;
  return {
    name: `seed ${seed}, ${size} mentions${reairings ? ", re-airings" : ""}`,
    videoTypes: VIDEO_TYPES,
    people: people.rows,
    bills: bills
      .filter(({ listed }) => listed)
      .map(({ row, spokenTitle, numberForms }): Bill => ({ row, names: [...new Set([spokenTitle, ...numberForms])] })),
    programs: programs.map(
      (program): Program => ({
        row: program.row,
        publicId: program.publicId,
        videoDuration: program.duration,
        views: program.views,
        fields: {
          title: [program.row.title],
          abstract: [program.row.description],
          date: [program.row.date.slice(0, 10), program.row.date],
          category: [program.kind.category],
          format: [program.kind.format],
          isbn: program.isbn === "" ? [] : [program.isbn],
          location: [program.location],
          person: program.people.map(({ name }) => name),
          personid: program.people.map(({ id }) => String(id)),
          series: [program.kind.series],
          sponsor: [program.sponsor],
          subject: program.topics.flatMap(({ subject, otherSubjects = [] }) => [subject, ...otherSubjects]),
          tag: [program.kind.tag, ...program.topics.map(({ key }) => key)],
          text: [programText(seed, program).join("")],
        },
      }),
    ),
    mentions: mentions.map(mentionRow),
  };
}
