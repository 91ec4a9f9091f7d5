// import { withMembers, members, loadLegislators, … } from "archive-frames/members"
export type { FrameBatches } from "../frames/frameBatches.js";
export type { Legislator, LegislatorRecord, MemberChamber, Term } from "./legislator.js";
export type { Legislators, LegislatorsOption } from "./legislators.js";
export { loadLegislators } from "./legislators.js";
export { type MembersOptions, members } from "./members.js";
export { type MembersReport, membersReport } from "./membersReport.js";
export { type WithMembersOptions, withMembers } from "./withMembers.js";
