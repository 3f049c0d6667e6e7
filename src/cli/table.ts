/** Formats tables and counts for people. */

const GAP = '  ';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_title, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Such as "1 merchant" or "2,000 SKUs". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Ids and names may hold line breaks and other characters that move a terminal's cursor. Halves of surrogate pairs, which
 * keys of bad rows hold, would all look the same.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

function widthOf(text: string): number {
  return [...text].length;
}
