// import { openFleet, startWorker, … } from "archive-frames/fleet"
export type { CorpusWindows } from "./corpusWindows.js";
export {
  type FailedPage,
  type FleetStatus,
  fleetStatus,
  type KeyStatus,
  type PageCounts,
  type QueueOptions,
  retryFailed,
} from "./fleetStatus.js";
export { type FleetWorker, startWorker, type WorkerOptions } from "./fleetWorker.js";
export { type FleetOptions, type OpenFleetOptions, openFleet } from "./openFleet.js";
