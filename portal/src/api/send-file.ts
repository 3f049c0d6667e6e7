/** In charge of files as the body of a call. */

/** The options of a call that sends the file as it is; the document describes such a body as a text. */
export function fileBody(file: File) {
  return {
    body: file as unknown as string,
    bodySerializer: (body: unknown) => body as File,
    headers: { 'Content-Type': 'application/octet-stream' },
  };
}
