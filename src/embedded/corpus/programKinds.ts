import type { VideoType } from "./videoTypes.js";

/** A kind of broadcast: decides its titles, its people, and the types of its clips. */
export interface ProgramKind {
  name:
    | "senate"
    | "house"
    | "senate-hearing"
    | "house-hearing"
    | "call-in"
    | "interview"
    | "news"
    | "forum"
    | "ceremony";
  /** How often it occurs, a positive integer. */
  weight: number;
  category: string;
  format: string;
  series: string;
  sponsor: string;
  location: string;
  tag: string;
  /** Number of speakers by role. */
  senators: number;
  representatives: number;
  witnesses: number;
  hosts: number;
  /** Shortest and longest duration, in seconds. */
  duration: readonly [number, number];
  /** Clip types with weights. */
  videoTypes: readonly (readonly [VideoType, number])[];
  /** Title templates: {topic} is a subject, {place} a committee or state, {part} a number. */
  titles: readonly string[];
}

const CAPITOL = "Washington, District of Columbia";

/** All kinds of programs. */
export const PROGRAM_KINDS: readonly ProgramKind[] = [
  {
    name: "senate",
    weight: 25,
    category: "Senate",
    format: "Senate Proceeding",
    series: "Senate Floor",
    sponsor: "U.S. Senate",
    location: `Senate Chamber, ${CAPITOL}`,
    tag: "floor chamber proceedings",
    senators: 22,
    representatives: 0,
    witnesses: 0,
    hosts: 0,
    duration: [7_200, 30_000],
    videoTypes: [
      ["Speech", 60],
      ["Debate", 36],
      ["Remarks", 4],
    ],
    titles: ["U.S. Senate Session, Part {part}", "Senate Session: {topic}", "Senate Debate on {topic}"],
  },
  {
    name: "house",
    weight: 25,
    category: "House",
    format: "House Proceeding",
    series: "House Floor",
    sponsor: "U.S. House of Representatives",
    location: `House Chamber, ${CAPITOL}`,
    tag: "floor chamber proceedings",
    senators: 0,
    representatives: 30,
    witnesses: 0,
    hosts: 0,
    duration: [7_200, 30_000],
    videoTypes: [
      ["Speech", 45],
      ["Debate", 50],
      ["Remarks", 5],
    ],
    titles: ["U.S. House of Representatives, Part {part}", "House Session: {topic}", "House Debate on {topic}"],
  },
  {
    name: "senate-hearing",
    weight: 11,
    category: "Senate Committee",
    format: "Hearing",
    series: "Congressional Committees",
    sponsor: "Senate Committee on {place}",
    location: `Dirksen Senate Office Building, ${CAPITOL}`,
    tag: "hearing committee testimony",
    senators: 9,
    representatives: 0,
    witnesses: 4,
    hosts: 0,
    duration: [3_600, 14_400],
    videoTypes: [
      ["Hearing", 96],
      ["Debate", 4],
    ],
    titles: [
      "Senate Committee on {place}: {topic}",
      'Senate Hearing on "{topic}"',
      "Nominations Hearing, {place} Committee",
    ],
  },
  {
    name: "house-hearing",
    weight: 11,
    category: "House Committee",
    format: "Hearing",
    series: "Congressional Committees",
    sponsor: "House Committee on {place}",
    location: `Rayburn House Office Building, ${CAPITOL}`,
    tag: "hearing committee testimony oversight",
    senators: 0,
    representatives: 12,
    witnesses: 4,
    hosts: 0,
    duration: [3_600, 16_000],
    videoTypes: [
      ["Hearing", 96],
      ["Debate", 4],
    ],
    titles: ["House Committee on {place}: {topic}", "Oversight of {topic}, Part {part}", "{place} Committee Mark-Up"],
  },
  {
    name: "call-in",
    weight: 12,
    category: "Public Affairs Event",
    format: "Call-In",
    series: "Morning Line",
    sponsor: "Archive Television Network",
    location: CAPITOL,
    tag: "viewers phones call-in",
    senators: 1,
    representatives: 1,
    witnesses: 1,
    hosts: 1,
    duration: [1_800, 3_600],
    videoTypes: [["Call-In", 100]],
    titles: ["Morning Line: Viewers' Calls on {topic}", "Open Phones", "Newsmaker Calls: {topic} in {place}"],
  },
  {
    name: "interview",
    weight: 6,
    category: "Interview",
    format: "Interview",
    series: "Across the Table",
    sponsor: "Archive Television Network",
    location: CAPITOL,
    tag: "interview author book",
    senators: 1,
    representatives: 0,
    witnesses: 2,
    hosts: 1,
    duration: [1_500, 3_600],
    videoTypes: [["Interview", 100]],
    titles: ["Across the Table: {topic}", "An Author on {topic}", "Interview on {topic} <Extended>"],
  },
  {
    name: "news",
    weight: 6,
    category: "News Conference",
    format: "News Conference",
    series: "Capitol Hill Today",
    sponsor: "Joint Leadership Offices",
    location: `U.S. Capitol, ${CAPITOL}`,
    tag: "leadership press reporters",
    senators: 4,
    representatives: 3,
    witnesses: 0,
    hosts: 0,
    duration: [900, 3_000],
    videoTypes: [
      ["News Conference", 80],
      ["Remarks", 20],
    ],
    titles: ["Leadership News Conference on {topic}", "Members & Advocates on {topic}", "Weekly Leadership Briefing"],
  },
  {
    name: "forum",
    weight: 4,
    category: "Forum",
    format: "Forum",
    series: "Policy Forum",
    sponsor: "Center for Applied Public Affairs",
    location: "{place}",
    tag: "panel think tank discussion",
    senators: 1,
    representatives: 1,
    witnesses: 6,
    hosts: 1,
    duration: [2_700, 9_000],
    videoTypes: [
      ["Forum", 90],
      ["Remarks", 10],
    ],
    titles: ["Forum on {topic} in {place}", "Panel: “{topic}”, Costs and Choices"],
  },
  {
    name: "ceremony",
    weight: 1,
    category: "Ceremony",
    format: "Ceremony",
    series: "Capitol Hill Today",
    sponsor: "Joint Leadership Offices",
    location: `U.S. Capitol, ${CAPITOL}`,
    tag: "tribute memorial statue",
    senators: 3,
    representatives: 3,
    witnesses: 0,
    hosts: 0,
    duration: [1_200, 5_400],
    videoTypes: [
      ["Ceremony", 80],
      ["Remarks", 20],
    ],
    titles: ["Statue Dedication", "Congressional Gold Medal Ceremony, {place}"],
  },
];
