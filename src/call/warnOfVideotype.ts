/** Warns that a search with an unusual video type found nothing; with `some`, that other searches of the call found rows. */
export function warnOfVideotype(remark: string | undefined, { some = false }: { some?: boolean } = {}): void {
  if (remark === undefined) return;
  process.emitWarning(`${some ? "Some searches found nothing." : "Nothing was found."} ${remark}`, {
    type: "ArchiveFramesWarning",
    code: "UNUSUAL_VIDEOTYPE",
  });
}
