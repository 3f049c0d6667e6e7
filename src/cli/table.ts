/** Formats tables and counts for people. */

const GAP = '  ';

/** Returns `none` instead if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], none?: string): string[] {
  if (rows.length === 0 && none !== undefined) return [none];
  const cells = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_title, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Returns texts such as "1 merchant" or "2,000 SKUs". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Escapes line breaks and other characters that move a terminal's cursor, because ids and names may contain them. Also
 * escapes unpaired surrogates, which keys of invalid rows contain and which would all look the same.
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
