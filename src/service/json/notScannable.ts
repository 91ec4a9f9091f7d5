/** Thrown if the bytes are not the expected JSON. The caller then uses a real parser to find out what is wrong. */
export class NotScannable extends Error {}
