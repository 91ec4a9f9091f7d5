import { type Debugger, Session } from "node:inspector";

/**
 * Node keeps a stack of its own for callbacks, and ends the process when one is left without being taken off it. It empties that
 * stack where it handles an uncaught error; the callback keeps that from everyone who listens for errors.
 */
const FORGET_CALLBACKS = `{
  const { process } = globalThis;
  const captured = process.hasUncaughtExceptionCaptureCallback();
  if (!captured) process.setUncaughtExceptionCaptureCallback(() => {});
  process._fatalException();
  if (!captured) process.setUncaughtExceptionCaptureCallback(null);
}`;

/** Where code is left that runs in an immediate, those behind it would be lost, and Node would wait for them without a pause. */
const KEEP_IMMEDIATES = "outstandingQueue.head = immediate._destroyed ? immediate._idleNext : immediate";

/**
 * Stops the code that the main thread runs, wherever it is, as the stop button of a debugger does; called from another
 * thread. What has been awaited is not continued, nothing is thrown that the code could catch, and the thread goes on with
 * its next event.
 *
 * @param still whether that is still wanted when the code is held, which may take as long as a native call
 */
export function stopCode(still: () => boolean): void {
  const debug = new Session();
  debug.connectToMainThread();
  debug.once("Debugger.paused", ({ params }) => {
    if (still()) leave(debug, params.callFrames);
    debug.post("Debugger.resume");
    debug.post("Debugger.disable", () => debug.disconnect());
  });
  debug.post("Debugger.enable");
  debug.post("Debugger.pause");
}

/** Does what Node does itself when code is left by an exception, and leaves it. */
function leave(debug: Session, frames: readonly Debugger.CallFrame[]): void {
  const evaluate = (frame: Debugger.CallFrame | undefined, expression: string) => {
    if (frame === undefined) return;
    debug.post("Debugger.evaluateOnCallFrame", { callFrameId: frame.callFrameId, expression, silent: true });
  };
  // Code of Node itself has no URL here.
  const immediates = ({ functionName, url }: Debugger.CallFrame) => functionName === "processImmediate" && url === "";
  evaluate(frames.findLast(immediates), KEEP_IMMEDIATES);
  evaluate(frames[0], FORGET_CALLBACKS);
  debug.post("Runtime.terminateExecution");
}
