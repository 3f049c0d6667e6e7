/** Limits of sheets that the page reads itself. */

/** The page holds all rows in memory. */
export const SHEET_ROWS_MAX = 100_000;
export const SHEET_BYTES_MAX = 52_428_800;

/** A file that cannot be uploaded, with a message for the user. */
export class FileRefused extends Error {}
