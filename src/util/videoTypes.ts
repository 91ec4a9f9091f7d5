/**
 * The known types of video: requests name them, rows have their number (`videoTypeId`). The service may have more. It documents no
 * numbers; of these, that of debates is confirmed.
 */
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
