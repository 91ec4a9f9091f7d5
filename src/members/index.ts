// import { withMembers, members, loadLegislators, … } from "archive-frames/members"
export type { BatchSource, FrameBatches } from "../frames/frameBatches.js";
export type { Legislator, LegislatorRecord, MemberChamber, PartyRecord, Term } from "./legislator.js";
export type { Legislators, LegislatorsOption, LegislatorsSource } from "./legislators.js";
export { loadLegislators } from "./loadLegislators.js";
export { type MembersOptions, members } from "./members.js";
export { type Contradiction, type MembersReport, membersReport } from "./membersReport.js";
export { type WithMembersOptions, withMembers } from "./withMembers.js";
