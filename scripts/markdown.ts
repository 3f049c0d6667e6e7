/** Builds Markdown pages and tables of generated docs. */

const MADE_BY = '<!-- Made by `npm run docs`; do not edit by hand. -->';

export function page(...parts: string[]): string {
  return `${[parts[0], MADE_BY, ...parts.slice(1)].join('\n\n')}\n`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
