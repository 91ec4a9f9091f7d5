/**
 * The known video types: requests use the name, rows the number (`videoTypeId`). The service may have more. It does not document the
 * numbers; only that of debates is confirmed.
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
