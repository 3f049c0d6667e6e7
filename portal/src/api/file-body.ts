/** Sends a file as a request body. */

/** Returns the request options for a binary body, which the OpenAPI document types as a string. */
export function fileBody(file: File) {
  return {
    body: file as unknown as string,
    bodySerializer: (body: unknown) => body as File,
    headers: { 'Content-Type': 'application/octet-stream' },
  };
}
