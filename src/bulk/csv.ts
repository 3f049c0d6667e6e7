/**
 * In charge of lines of csv as RFC 4180 has them: commas, cells in quotes where they need it, CR and LF at the end.
 *
 * Spreadsheets take a cell that begins with one of `= + - @` for a formula, quotes or not, and run it. So text that
 * merchants wrote gets an apostrophe in front where it begins with one of these, their wide twins, a tab or a line break.
 * Text that begins with an apostrophe gets one too: whoever reads the file takes one away and has the text again.
 */

const NEEDS_QUOTES = /[",\r\n]/;
const COULD_BE_RUN = /^['=+\-@\t\r\n＝＋－＠]/;

/** What somebody else wrote. */
export function textCell(text: string): string {
  return plainCell(COULD_BE_RUN.test(text) ? `'${text}` : text);
}

/** What is known to begin with nothing of that kind. */
export function plainCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
