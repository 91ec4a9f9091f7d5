// import { openFleet, startWorker, … } from "archive-frames/fleet"
export { type FleetWorker, startWorker, type WorkerOptions } from "./fleetWorker.js";
export { type FleetOptions, type OpenFleetOptions, openFleet } from "./openFleet.js";
