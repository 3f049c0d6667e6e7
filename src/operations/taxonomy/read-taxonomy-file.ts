/** Reads a taxonomy file in either format into the entries from which a tree is built. */

import { LIMITS } from '../../domain/limits.ts';
import { checkList } from '../../domain/taxonomy/check-list.ts';
import type { LineFault, PlacedEntry, TaxonomyEntry } from '../../domain/taxonomy/entries.ts';
import { GoogleLines, isGoogleFormat } from '../../domain/taxonomy/google-lines.ts';
import { headerFaults, readJsonLine } from '../../domain/taxonomy/read-json-line.ts';
import { LineFault as UnreadableLine } from '../text-lines.ts';

/** Lines of a file. A line that is too long or not UTF-8 becomes a fault. */
export type FileLines = AsyncIterable<readonly (string | UnreadableLine)[]>;

export const TAXONOMY_FORMATS = Object.freeze(['offerbook', 'google'] as const);

export type TaxonomyFormat = (typeof TAXONOMY_FORMATS)[number];

export type TaxonomyFile =
  | { readonly ok: true; readonly format: TaxonomyFormat; readonly entries: readonly TaxonomyEntry[] }
  | { readonly ok: false; readonly format: TaxonomyFormat; readonly faults: readonly LineFault[] };

interface LineReader {
  add(text: string, line: number): void;
  finish(): { readonly entries: readonly PlacedEntry[]; readonly faults: readonly LineFault[] };
}

export async function readTaxonomyFile(lines: FileLines): Promise<TaxonomyFile> {
  let reader: LineReader | undefined;
  let format: TaxonomyFormat = 'offerbook';
  const unreadable: LineFault[] = [];
  let lineNumber = 0;
  let bytes = 0;
  for await (const some of lines) {
    for (const line of some) {
      lineNumber++;
      if (line instanceof UnreadableLine) {
        unreadable.push({ code: 'taxonomy_unreadable', line: lineNumber, text: line.message });
        continue;
      }
      bytes += Buffer.byteLength(line) + 1;
      // Some editors end lines with a carriage return and start a file with a byte order mark.
      const text = (lineNumber === 1 ? line.replace(/^\uFEFF/, '') : line).replace(/\r$/, '');
      if (reader === undefined) {
        format = isGoogleFormat(text) ? 'google' : 'offerbook';
        reader = format === 'google' ? new GoogleLines() : new JsonLines();
      }
      reader.add(text, lineNumber);
    }
    if (bytes > LIMITS.taxonomy_file_bytes_max) return { ok: false, format, faults: [TAXONOMY_TOO_LARGE] };
  }
  const { entries, faults } = (reader ?? new JsonLines()).finish();
  const checked = checkList(entries, unreadable.length + faults.length === 0);
  if (checked.ok && unreadable.length + faults.length === 0) return { ...checked, format };
  const all = [...unreadable, ...faults, ...(checked.ok ? [] : checked.faults)];
  return { ok: false, format, faults: all.toSorted((one, other) => one.line - other.line) };
}

export const TAXONOMY_TOO_LARGE: LineFault = {
  code: 'taxonomy_too_large',
  line: 0,
  text: `has more than ${LIMITS.taxonomy_file_bytes_max} bytes`,
};

/** Offerbook's own format, identified by its first line. */
class JsonLines implements LineReader {
  readonly #entries: PlacedEntry[] = [];
  readonly #faults: LineFault[] = [];

  add(text: string, line: number): void {
    if (line === 1) {
      this.#faults.push(...headerFaults(text));
    } else if (text.trim() !== '') {
      const read = readJsonLine(text, line);
      if ('entry' in read) this.#entries.push({ line, entry: read.entry });
      else this.#faults.push(...read.faults);
    }
  }

  finish(): { readonly entries: readonly PlacedEntry[]; readonly faults: readonly LineFault[] } {
    return { entries: this.#entries, faults: this.#faults };
  }
}
