/** Warns that a search with an unusual video type found nothing. With `some`, other searches of the call did find rows. */
export function warnOfVideotype(remark: string | undefined, { some = false }: { some?: boolean } = {}): void {
  if (remark === undefined) return;
  process.emitWarning(`${some ? "Some searches found nothing." : "Nothing was found."} ${remark}`, {
    type: "ArchiveFramesWarning",
    code: "UNUSUAL_VIDEOTYPE",
  });
}
