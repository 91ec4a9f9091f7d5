/** Warns that a search found nothing, possibly for the reason of the remark. With `some`, other searches of the call did find rows. */
export function warnOfVideotype(remark: string | undefined, { some = false }: { some?: boolean } = {}): void {
  if (remark === undefined) return;
  process.emitWarning(`${some ? "Some searches found nothing." : "Nothing was found."} ${remark}`, {
    type: "ArchiveFramesWarning",
    code: remark.startsWith("The video type") ? "UNUSUAL_VIDEOTYPE" : "NO_ROWS_MEMBER",
  });
}
