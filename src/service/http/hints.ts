/** The option with the address of the service, as hints name it. */
export const URL_OPTION = "baseUrl (ARCHIVE_BASE_URL)";

export const CHECK_NETWORK = `Check the network, the proxies and ${URL_OPTION}.`;

export const CHECK_PROXY =
  "Check HTTPS_PROXY and HTTP_PROXY, with user and password if it needs them: http://user:password@proxy.example:8080. NO_PROXY names hosts to connect to without it.";

export const TRY_AGAIN = "Try again later, or raise maxRetries.";
