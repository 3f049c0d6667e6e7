/** How requests in the request log ended. */
export const REQUEST_RESULTS = Object.freeze(['succeeded', 'failed', '4xx', '5xx'] as const);

export type RequestResult = (typeof REQUEST_RESULTS)[number];
