/** The video types of this archive: requests use the name, rows the number. The live service is only known to number debates 18. */
export const VIDEO_TYPES = {
  Speech: 16,
  Debate: 18,
  Hearing: 9,
  Interview: 11,
  "Call-In": 4,
  "News Conference": 13,
  Forum: 7,
  Remarks: 15,
  Ceremony: 5,
} as const;
