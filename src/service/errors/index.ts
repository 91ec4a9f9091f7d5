export { AbortedError } from "./abortedError.js";
export { APIError, type APIErrorDetails, type APIErrorJson, type ErrorResponse } from "./apiError.js";
export { ArchiveError, type ArchiveErrorDetails, type ArchiveErrorJson } from "./archiveError.js";
export { AuthenticationError } from "./authenticationError.js";
export type { ErrorCode } from "./errorCode.js";
export { errorFromResponse, type FailedAnswer } from "./errorFromResponse.js";
export { NotFoundError } from "./notFoundError.js";
export { RateLimitError, type RateLimitErrorDetails } from "./rateLimitError.js";
export { ValidationError, type ValidationErrorDetails } from "./validationError.js";
