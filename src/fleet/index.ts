// import { openFleet, startWorker, … } from "archive-frames/fleet"
export { cleanQueue, type FleetStatus, fleetStatus } from "./fleetStatus.js";
export { type FleetWorker, startWorker, type WorkerOptions } from "./fleetWorker.js";
export { type FleetOptions, type OpenFleetOptions, openFleet } from "./openFleet.js";
