/** Limits of sheets that the page reads or writes itself. */

/** Maximum number of rows. The page holds all of them in memory. */
export const SHEET_ROWS_MAX = 100_000;
export const SHEET_BYTES_MAX = 52_428_800;
/** More rows are uploaded without the check of the server, which takes about as long as the upload. */
export const SERVER_CHECK_ROWS_MAX = 20_000;

/** Thrown for a file that cannot be uploaded or written. The message is shown to the user. */
export class FileRefused extends Error {}
