// How often each route was called since the service started. Part of the library's types.

/** By route: `POST /v1/face-swap-photo`. Requests that match no route count as `unknown`. */
export type RequestCounts = Readonly<Record<string, number>>;
