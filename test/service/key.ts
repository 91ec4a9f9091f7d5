/** The key of the tests: with all that makes redaction hard, and easy to recognise where it should not be. */
export const KEY = "canary-Key/4+2=é&<7>";
