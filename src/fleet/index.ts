// import { openFleet, startWorker } from "archive-frames/fleet"
export { type OpenFleetOptions, openFleet } from "./openFleet.js";
export { type FleetWorker, startWorker, type WorkerOptions } from "./startWorker.js";
