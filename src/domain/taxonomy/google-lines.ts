/**
 * Reads the text format in which Google publishes its product taxonomy with ids: a comment with the version, then lines
 * of the form `id - A > B > C`. It names parents by their path, and has no attributes or tax codes.
 */
import { type Int64, readId } from '../int64.ts';
import { type LineFault, nodeEntry, type PlacedEntry } from './entries.ts';
import { nameFault, PATH_SEPARATOR } from './node-name.ts';

const LINE = /^(\d{1,20}) - (.*)$/;
const VERSION = /^#\s*Google_Product_Taxonomy_Version:/i;

interface PathLine {
  readonly line: number;
  readonly id: Int64;
  readonly names: readonly string[];
}

/** Detects the format by the first line. */
export function isGoogleFormat(firstLine: string): boolean {
  return VERSION.test(firstLine) || LINE.test(firstLine);
}

/** Collects the lines. Parents are resolved at the end, because they may come after their children. */
export class GoogleLines {
  readonly #lines: PathLine[] = [];
  readonly #faults: LineFault[] = [];

  add(text: string, line: number): void {
    if (text.trim() === '' || text.startsWith('#')) return;
    const [, digits = '', path = ''] = LINE.exec(text) ?? [];
    const id = readId(digits);
    if (id === undefined) {
      this.#fault(line, 'must have the form "id - name > name", with an id from 1 to 9223372036854775807');
      return;
    }
    const names = path.split(PATH_SEPARATOR);
    const faults = names.flatMap((name) => nameFault(name) ?? []);
    for (const fault of new Set(faults)) this.#fault(line, `a name in the path ${fault}`);
    if (faults.length === 0) this.#lines.push({ line, id, names });
  }

  finish(): { readonly entries: readonly PlacedEntry[]; readonly faults: readonly LineFault[] } {
    const orphans: LineFault[] = [];
    const idOfPath = new Map(this.#lines.map(({ id, names }) => [names.join(PATH_SEPARATOR), id]));
    const entries = this.#lines.flatMap(({ line, id, names }) => {
      const name = names.at(-1) ?? '';
      if (names.length === 1) return [{ line, entry: nodeEntry({ node: id, name }) }];
      const parentPath = names.slice(0, -1).join(PATH_SEPARATOR);
      const parent = idOfPath.get(parentPath);
      if (parent !== undefined) return [{ line, entry: nodeEntry({ node: id, parent, name }) }];
      const text = `node ${id} has the parent ${JSON.stringify(parentPath)}, which does not exist`;
      orphans.push({ code: 'taxonomy_parent', line, text });
      return [];
    });
    // A missing parent may be in a line that could not be read.
    return { entries, faults: this.#faults.length > 0 ? this.#faults : orphans };
  }

  #fault(line: number, text: string): void {
    this.#faults.push({ code: 'taxonomy_unreadable', line, text });
  }
}
