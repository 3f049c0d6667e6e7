/**
 * Writes CSV lines as RFC 4180 defines them: commas, quoted cells where needed, CR and LF at the end.
 *
 * Spreadsheets evaluate a cell that starts with one of `= + - @` as a formula, quoted or not. So text from merchants gets a
 * leading apostrophe when it starts with one of these, their full-width variants, a tab or a line break. Text that
 * starts with an apostrophe gets one too: a reader that removes one apostrophe gets the original text.
 */

const NEEDS_QUOTES = /[",\r\n]/;
const COULD_BE_RUN = /^['=+\-@\t\r\n＝＋－＠]/;

/** Formats text from merchants, which a spreadsheet might evaluate as a formula. */
export function textCell(text: string): string {
  return plainCell(escapedCell(text));
}

/** Formats text that no spreadsheet evaluates as a formula. */
export function plainCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text that `textCell` escaped. */
export function unescapedCell(text: string): string {
  return text.startsWith("'") && COULD_BE_RUN.test(text.slice(1)) ? text.slice(1) : text;
}

/** Escapes a cell for a format other than CSV. */
export function escapedCell(text: string): string {
  return COULD_BE_RUN.test(text) ? `'${text}` : text;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
